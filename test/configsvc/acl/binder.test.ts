// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are templates
/** Evaluates binding rules without a service. */
import { describe, expect, it } from 'vitest'
import { applyRules, type BinderRule, explainRules } from '../../../src/configsvc/acl/binding-rules/binder.ts'
import { checkBinding, computeBinding } from '../../../src/configsvc/acl/binding-rules/binding.ts'
import { selectorShape } from '../../../src/configsvc/acl/binding-rules/selector.ts'
import type { LoginIdentity } from '../../../src/configsvc/methods/identity.ts'
import { KernelError } from '../../../src/core/base/errors.ts'
import { runToEnd } from '../../../src/core/base/steps.ts'
import fc from '../../fixtures/fast-check.ts'

const isValid = (BindType: string, BindName: string, variables: readonly string[] = [], name?: string): boolean => {
  try {
    checkBinding({ BindType, BindName, ...(name === undefined ? {} : { BindVars: { name } }) }, variables)
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    return false
  }
}

const NAMED = ['role', 'service', 'node', 'policy']

describe('the BindName of a binding rule', () => {
  it.each<readonly [string, readonly string[], boolean]>([
    ['', ['item'], false],
    ['}', ['item'], false],
    [' item }', ['item'], false],
    ['bad@name', ['item'], false],
    ['nothing', [], true],
    ['name-end', [], true],
    ['${item}', ['item'], true],
    ['before-${item}after', ['item'], true],
    ['before-${item}after-${more}', ['item', 'more'], true],
    ['before-${ item }after--more }', ['item', 'more'], false],
    ['${', ['item', 'more'], false],
    ['}${', ['item', 'more'], false],
    ['${}', ['item', 'more'], false],
    ['${ item ', ['item', 'more'], false],
    ['before-${ item after-${ more }', ['item', 'more'], false],
    ['${item}', [], false],
  ])('%j with the variables %j is valid: %s', (name, variables, valid) => {
    for (const type of NAMED) expect(isValid(type, name, variables)).toBe(valid)
  })

  it.each(['-name', 'name-', 'NAME'])('%s is valid for a role or a policy, but not for a service or node', (name) => {
    expect(NAMED.filter((type) => isValid(type, name))).toEqual(['role', 'policy'])
  })

  it('may contain a slash if BindType is policy, but a login is refused if the name computed for it contains a slash', () => {
    expect(isValid('policy', 'teams/${item}', ['item'])).toBe(true)
    expect(() => computeBinding({ BindType: 'policy', BindName: 'teams/${item}' }, { item: 'a' })).toThrow(/BindName/)
    expect(() => computeBinding({ BindType: 'policy', BindName: '${item}' }, { item: 'builtin/global-management' })).toThrow(
      /BindName/,
    )
  })

  it('must not contain variables for a templated policy, whose BindVars may contain them', () => {
    const name = 'before-${item}after-${more}'
    expect(isValid('templated-policy', 'builtin/service')).toBe(false)
    expect(isValid('templated-policy', 'builtin/service', ['item', 'more'], name)).toBe(true)
    expect(isValid('templated-policy', 'builtin/service', [], name)).toBe(false)
    expect(isValid('templated-policy', 'builtin/fake', [], 'test')).toBe(false)
    expect(isValid('templated-policy', 'builtin/${item}', ['item'], 'test')).toBe(false)
    expect(isValid('templated-policy', 'builtin/dns')).toBe(true)
  })

  it.each(NAMED)('cannot be combined with BindVars if BindType is %s', (type) => {
    expect(isValid(type, 'name', [], 'x')).toBe(false)
    expect(isValid(type, 'name', [], '')).toBe(true)
  })

  it.each(['', 'Service', 'toString', '__proto__'])('is refused with the BindType %j', (type) => {
    expect(isValid(type, 'name')).toBe(false)
  })
})

const SHAPE = selectorShape({ value: [], list: [] })

const identity = (value: Readonly<Record<string, string>>): LoginIdentity => ({
  selectable: { value, list: {} },
  variables: Object.fromEntries(Object.entries(value).map(([name, text]) => [`value.${name}`, text])),
})

const word = fc.constantFrom('web', 'db', 'Web', 'a b', '-', '')

const claim = fc.constantFrom('team', 'role', 'toString')

const anyIdentity = fc.dictionary(claim, word)

/** Rules with one comparison each, all of which the reference binder below implements. */
const anyRule = fc.record({
  test: fc.option(fc.record({ claim, word: fc.constantFrom('web', 'db'), equal: fc.boolean() })),
  type: fc.constantFrom('role', 'service'),
  parts: fc.array(fc.oneof(fc.record({ variable: claim }), fc.record({ text: fc.constantFrom('x', '-', 'A') })), {
    minLength: 1,
    maxLength: 3,
  }),
})

type AnyRule = typeof anyRule extends fc.Arbitrary<infer R> ? R : never

const written = ({ test, type, parts }: AnyRule): BinderRule => ({
  Selector: test ? `value.${test.claim} ${test.equal ? '==' : '!='} ${test.word}` : '',
  BindType: type,
  BindName: parts.map((part) => ('variable' in part ? `\${value.${part.variable}}` : part.text)).join(''),
})

/** The names that a login is granted; undefined if the login fails. */
function naive(rules: readonly AnyRule[], value: Readonly<Record<string, string>>): readonly string[] | undefined {
  const has = (name: string) => Object.keys(value).includes(name)
  const names: string[] = []
  for (const { test, type, parts } of rules) {
    if (test && (has(test.claim) && value[test.claim] === test.word) !== test.equal) continue
    let name = ''
    for (const part of parts) {
      if ('variable' in part && !has(part.variable)) return undefined
      name += 'variable' in part ? (value[part.variable] as string).toLowerCase() : part.text
    }
    const good = type === 'role' ? /^[A-Za-z0-9_-]+$/ : /^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$/
    if (!good.test(name)) return undefined
    names.push(`${type} ${name}`)
  }
  return names
}

describe('evaluating binding rules', () => {
  it('grants the same roles and identities as a simple reference implementation', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 5 }), anyIdentity, (rules, value) => {
        const expected = naive(rules, value)
        const bound = () => runToEnd(applyRules(rules.map(written), SHAPE, identity(value)))
        if (expected === undefined) expect(bound).toThrow(KernelError)
        else expect(bound().map(({ type, name }) => `${type} ${name}`)).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  it('returns a reason for each rule, and the same grants as a login', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 5 }), anyIdentity, (rules, value) => {
        const verdicts = runToEnd(explainRules(rules.map(written), SHAPE, identity(value)))
        expect(verdicts).toHaveLength(rules.length)
        for (const { matches, reason, binding, refusal } of verdicts) {
          expect(reason).not.toBe('')
          expect([binding, refusal].filter((candidate) => candidate !== undefined)).toHaveLength(matches ? 1 : 0)
        }
        const expected = naive(rules, value)
        if (verdicts.some(({ refusal }) => refusal !== undefined)) expect(expected).toBeUndefined()
        else expect(verdicts.flatMap(({ binding }) => binding ?? []).map(({ type, name }) => `${type} ${name}`)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  it('treats a selector that cannot be evaluated as not matching', () => {
    const rules = ['value.team ==', 'nothing.of == it', 'value is empty and value.team matches "("'].map((Selector) => ({
      Selector,
      BindType: 'role',
      BindName: 'r',
    }))
    expect(runToEnd(applyRules(rules, SHAPE, identity({ team: 'web' })))).toEqual([])
    for (const { matches, reason } of runToEnd(explainRules(rules, SHAPE, identity({ team: 'web' }))))
      expect([matches, reason]).toEqual([false, expect.stringMatching(/\S/)])
  })
})
