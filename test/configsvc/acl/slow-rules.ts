/** Binding rules that are slow to read or to evaluate. */
import { LoginWorld, mapped } from './login-world.ts'

const LONG = `${Array.from({ length: 800 }, (_, i) => `value.k${i} == v`).join(' or ')}`
const HEAVY = Array.from({ length: 10 }, (_, i) => `value.a matches "(?i)[a-z]{30}${i}x"`).join(' or ')
const CLAIMS = { a: 'q'.repeat(2000), l: Array.from({ length: 500 }, (_, i) => `g${i}`) }

/** A service with this many rules, and a login that evaluates all of them. */
export async function worldOfSlowRules(count: number): Promise<{ readonly world: LoginWorld; logIn(): Promise<unknown> }> {
  const world = await LoginWorld.open()
  await world.method('m', { ClaimMappings: mapped(['a']), ListClaimMappings: { l: 'l' } })
  for (const Selector of Array.from({ length: count }, (_, i) => [LONG, HEAVY, 'value.a == b'][i % 3]))
    await world.service.bindingRules.create({ AuthMethod: 'm', BindType: 'service', BindName: 'web', Selector })
  return { world, logIn: () => world.logIn('m', CLAIMS) }
}

/** Members of a binding rule that is refused. */
export const SLOW_TO_READ: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['a selector with many parentheses', { Selector: '('.repeat(8000) }],
  ['a selector with many negations', { Selector: 'not '.repeat(4000) }],
  ['a long pattern', { Selector: `value.a matches "${'(a*)*'.repeat(3000)}"` }],
  ['a template with many braces', { BindName: '${"'.repeat(1300) }],
  ['a selector of one megabyte', { Selector: 'x'.repeat(1_000_000) }],
]
