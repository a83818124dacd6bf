/**
 * Compares the decision about a record that has several spellings and paths with a naive implementation. The alphabet is small, so that
 * rules overlap.
 */
import { expect, it } from 'vitest'
import { foldName } from '../../src/core/base/fold-name.ts'
import { runToEnd } from '../../src/core/base/steps.ts'
import { type Acl, type AclOperation, compileAcl, type OtherPath, parsePolicy } from '../../src/core/policy/index.ts'
import fc from '../fixtures/fast-check.ts'
import { hasPlus, isOpen, matches, mergedRules, type NaiveRule, ruleFor } from '../fixtures/naive-acl.ts'
import { runs } from '../fixtures/runs.ts'

const RUNS = runs({ quick: 3000, soak: 100_000 })

const words = (...list: string[]) => fc.constantFrom(...list)

/** Patterns with two mounts that differ by case, two paths below them and names in many spellings, or only the beginning of such a path. */
const pattern = fc
  .tuple(
    words('m', 'm', 'm', 'M', '+'),
    words('acl', 'acl', 'old', 'old', '+'),
    words('k', 'K', '\u212a', 'kK', 'a', '+', ''),
    words('', '', '', '/', '*', '/*'),
    words('', '', '', '', 'm', '*', 'm/*', '+/*', 'm/acl'),
  )
  .map(([mount, area, name, end, short]) => short || `${mount}/${area}/${name}${end}`)
  .filter((text) => !text.includes('+*'))

const rule = fc.record({ pattern, capabilities: fc.subarray(['read', 'update', 'list', 'deny'], { minLength: 1 }) })

const policies = fc.array(fc.array(rule, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 })

interface Place {
  readonly path: string
  readonly foldedAfter: number | undefined
}

const NAMES = ['k', 'kk', 'a', 'k/k']

/** A record with a current and an old path, or one whose path may end in a slash. */
const places = fc.tuple(words('m', 'M'), words(...NAMES), fc.boolean(), fc.boolean()).map(([mount, name, isOld, slash]) => {
  const own: Place = { path: `${mount}/acl/${name}`, foldedAfter: 2 }
  const old: Place = { path: `${mount}/old/${name}`, foldedAfter: 2 }
  if (slash) return { ...own, foldedAfter: undefined, others: [{ path: `${own.path}/`, slash: true }] }
  return isOld ? { ...old, others: [own] } : { ...own, others: [old] }
})

const textOf = (rules: readonly NaiveRule[]): string =>
  rules.map((rule) => `path ${JSON.stringify(rule.pattern)} { capabilities = ${JSON.stringify(rule.capabilities)} }`).join('\n')

const aclOf = (all: readonly (readonly NaiveRule[])[]): Acl =>
  compileAcl(all.map((rules, i) => ({ name: `p${i}`, policy: parsePolicy(textOf(rules)), namespace: '' })))

const folded = (rules: readonly NaiveRule[], slashes: number | undefined): readonly NaiveRule[] => {
  if (slashes === undefined) return rules
  const fold = (text: string): string => {
    const parts = text.split('/')
    return [...parts.slice(0, slashes), ...parts.slice(slashes).map(foldName)].join('/')
  }
  return mergedRules([rules.map(({ pattern: text, capabilities }) => ({ pattern: fold(text), capabilities }))])
}

const isExact = ({ pattern: text }: NaiveRule): boolean => !hasPlus(text) && !isOpen(text)

const covers = ({ pattern: text }: NaiveRule, path: string): boolean =>
  matches(text, path) || matches(text, path.replace(/\/$/, ''))

/** The rules in SECURITY.md, "Policies and tokens". */
function isAllowed(
  rules: readonly NaiveRule[],
  { path, foldedAfter, others }: Place & { readonly others: readonly OtherPath[] },
  operation: AclOperation,
): boolean {
  const own = ruleFor(folded(rules, foldedAfter), path, operation === 'list')
  if (!own?.capabilities.includes(operation)) return false
  return others.every((candidate) => {
    const there = ruleFor(folded(rules, candidate.foldedAfter), candidate.path, candidate.path.endsWith('/'))
    if (!there || covers(there, path)) return true
    if (there.capabilities.includes('deny')) return candidate.slash === true && isExact(own) && !isExact(there)
    return candidate.slash === true || !covers(own, candidate.path) || there.capabilities.includes(operation)
  })
}

it('a policy allows access to a record if and only if the rules for all spellings of its path allow the access', () => {
  let refused = 0
  fc.assert(
    fc.property(policies, places, (all, at) => {
      const acl = aclOf(all)
      const rules = mergedRules(all)
      const granted = acl.capabilities(at)
      for (const operation of ['read', 'update'] as const) {
        const expected = isAllowed(rules, at, operation)
        const { allowed } = acl.decide({ ...at, operation })
        expect([operation, allowed, acl.explain({ ...at, operation }).allowed, granted.includes(operation)]).toEqual([
          operation,
          expected,
          expected,
          expected,
        ])
        if (!expected && acl.decide({ operation, path: at.path }).allowed) refused++
      }
    }),
    { numRuns: RUNS },
  )
  // The comparison is meaningful only if the other paths often change the decision.
  expect(refused).toBeGreaterThan(RUNS / 100)
})

it('a policy denies access to a record if a rule denies any spelling of its path', () => {
  fc.assert(
    fc.property(policies, places, words('read', 'update'), (all, at, operation) => {
      const { path } = at
      const spelled = path
        .replaceAll('k', '\u212a')
        .toUpperCase()
        .replace(/^M\/(ACL|OLD)/, (text) => path.slice(0, text.length))
      const deny = { pattern: at.foldedAfter === undefined ? path : spelled, capabilities: ['deny'] }
      expect(aclOf([...all, [deny]]).decide({ ...at, operation: operation as AclOperation }).allowed).toBe(false)
    }),
    { numRuns: RUNS / 4 },
  )
})

it('a policy decides the same whether its rules were prepared for the path or not', () => {
  fc.assert(
    fc.property(policies, places, (all, at) => {
      const [now, prepared] = [aclOf(all), aclOf(all)]
      runToEnd(prepared.prepare(at))
      expect(prepared.capabilities(at)).toEqual(now.capabilities(at))
    }),
    { numRuns: RUNS / 10 },
  )
})
