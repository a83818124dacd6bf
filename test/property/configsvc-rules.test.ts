/** Compares the authorizer of the configuration service with a naive one over random rules, and parses arbitrary text as rules. */
import { describe, expect, it } from 'vitest'
import { authorizerOf, parseRules, RESOURCES, type ResourceAccess, type ResourceName } from '../../src/configsvc/rules/index.ts'
import { KernelError } from '../../src/core/base/errors.ts'
import { anyCharacter } from '../fixtures/any-character.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { type NaiveLevel, type NaiveRule, naiveAny, naiveDecision } from './configsvc-rules-naive.ts'

const CASES = runs({ quick: 300, soak: 100_000 })

const SINGLE = ['acl', 'keyring', 'operator', 'mesh', 'peering']
const NAMED = ['agent', 'event', 'node', 'query', 'session', 'service', 'key']

/** Few letters, so that names are often prefixes or other spellings of each other. */
const name = fc.string({ unit: fc.constantFrom('k', 'b', '/', 'K', '\u212A'), maxLength: 5 })
const plain = fc.constantFrom<NaiveLevel>('read', 'write', 'deny')

const single = fc.record({ key: fc.constantFrom(...SINGLE), name: fc.constant(''), policy: plain })
const key = fc.record({
  key: fc.constantFrom('key', 'key_prefix'),
  name,
  policy: fc.constantFrom<NaiveLevel>('read', 'list', 'write', 'deny'),
})
const service = fc.record(
  { key: fc.constantFrom('service', 'service_prefix'), name, policy: plain, intentions: plain },
  { requiredKeys: ['key', 'name', 'policy'] },
)
const named = fc.record({
  key: fc.constantFrom(
    ...NAMED.filter((candidate) => candidate !== 'key' && candidate !== 'service').flatMap((candidate) => [
      candidate,
      `${candidate}_prefix`,
    ]),
  ),
  name,
  policy: plain,
})
const rule: fc.Arbitrary<NaiveRule> = fc.oneof(
  single,
  { arbitrary: key, weight: 3 },
  { arbitrary: service, weight: 3 },
  { arbitrary: named, weight: 2 },
)
/** One policy. It has at most one rule for each resource without names. */
const policy = fc
  .array(rule, { maxLength: 12 })
  .map((rules) =>
    rules.filter((rule, i) => !SINGLE.includes(rule.key) || rules.findIndex((candidate) => candidate.key === rule.key) === i),
  )
const policies = fc.array(policy, { maxLength: 4 })
const byDefault = fc.constantFrom<'allow' | 'deny'>('allow', 'deny')
const segment = fc.oneof({ arbitrary: name, weight: 4 }, fc.constant('*'))

const blockOf = ({ policy: level, intentions }: NaiveRule) => ({ policy: level, ...(intentions && { intentions }) })

function hclOf(rules: readonly NaiveRule[]): string {
  const fields = (rule: NaiveRule) =>
    Object.entries(blockOf(rule))
      .map(([field, level]) => `${field} = "${level.toUpperCase()}"`)
      .join(' ')
  return rules
    .map((rule) =>
      SINGLE.includes(rule.key) ? `${rule.key} = "${rule.policy}"` : `${rule.key} "${rule.name}" { ${fields(rule)} }`,
    )
    .join('\n')
}

/** A duplicate member is read each time that it occurs. */
function jsonOf(rules: readonly NaiveRule[]): string {
  const members = rules.map((rule) => {
    const value = SINGLE.includes(rule.key) ? rule.policy : { [rule.name]: blockOf(rule) }
    return `${JSON.stringify(rule.key)}: ${JSON.stringify(value)}`
  })
  return `{${members.join(', ')}}`
}

const compiled = (list: readonly (readonly NaiveRule[])[], defaultPolicy: 'allow' | 'deny', textOf = hclOf) =>
  authorizerOf(
    list.map((rules, i) => ({ name: `policy-${i}`, rules: parseRules(textOf(rules)) })),
    defaultPolicy,
  )

const QUESTIONS = (Object.keys(RESOURCES) as ResourceName[]).flatMap((resource) =>
  RESOURCES[resource].accesses.map((access): readonly [ResourceName, ResourceAccess] => [resource, access]),
)

describe('the ACL authorizer of the configuration service', () => {
  it('makes the same decisions as a naive authorizer', () => {
    fc.assert(
      fc.property(
        policies,
        byDefault,
        fc.constantFrom(hclOf, jsonOf),
        fc.array(segment, { maxLength: 6 }),
        (list, open, textOf, segments) => {
          const authorizer = compiled(list, open, textOf)
          const rules = list.flat()
          const names = [...segments, ...rules.slice(0, 6).map((rule) => rule.name)]
          // Compare all decisions in one assertion, because a call of `expect` costs more than a decision.
          const decisions = QUESTIONS.flatMap(([resource, access]) =>
            names.map((name) => {
              const naive = naiveDecision(rules, open, resource, access, SINGLE.includes(resource) ? '' : name)
              return { resource, access, name, decided: authorizer.decide(resource, access, name), naive }
            }),
          )
          expect(decisions.filter(({ decided, naive }) => decided !== naive)).toEqual([])
          for (const [resource, access] of QUESTIONS)
            if (!SINGLE.includes(resource) && access !== 'write-prefix')
              expect(authorizer.allowsAny(resource, access)).toBe(naiveAny(rules, open, resource, access))
        },
      ),
      { numRuns: CASES / 4 },
    )
  })

  it('explains a decision by a stored rule that alone leads to the same decision', () => {
    fc.assert(
      fc.property(policies, byDefault, fc.constantFrom(...QUESTIONS), segment, (list, open, [resource, access], name) => {
        const authorizer = compiled(list, open)
        const { allow, by } = authorizer.explain(resource, access, name)
        expect(allow).toBe(authorizer.decide(resource, access, name))
        if (by === 'default') return
        const rules = list[Number(by.policy.slice('policy-'.length))]!
        const field = by.rule.field as 'policy' | 'intentions'
        expect(
          rules.some((rule) => rule.key === by.rule.key && rule.name === by.rule.name && rule[field] === by.rule.level),
        ).toBe(true)
        // The explaining rule alone leads to the same decision, so it is the deciding one.
        const alone = compiled([rules.filter((rule) => rule.key === by.rule.key && rule.name === by.rule.name)], open)
        if (access !== 'write-prefix') expect(alone.decide(resource, access, name)).toBe(allow)
      }),
      { numRuns: CASES },
    )
  })

  it('decides the same if policies or rules are repeated or in another order', () => {
    const shuffled = policies.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc
          .shuffledSubarray([...list.keys()], { minLength: list.length })
          .map((order) => order.map((i) => [i, list[i]!.toReversed()] as const)),
      ),
    )
    fc.assert(
      fc.property(shuffled, byDefault, fc.array(segment, { maxLength: 4 }), ([list, turned], open, segments) => {
        const authorizer = compiled(list, open)
        const twice = [...turned, ...turned.slice(0, 2)]
        const otherAuthorizer = authorizerOf(
          twice.map(([i, rules]) => ({ name: `policy-${i}`, rules: parseRules(hclOf(rules)) })),
          open,
        )
        for (const [resource, access] of QUESTIONS)
          for (const name of segments)
            expect(otherAuthorizer.explain(resource, access, name)).toEqual(authorizer.explain(resource, access, name))
      }),
      { numRuns: CASES / 4 },
    )
  })
})

const PIECES = [
  ...'{}[]()=:,"\\#/*<>-+.$_ \n\t\r\0',
  ...['acl', 'key', 'key_prefix', 'service', 'policy', 'intentions', 'mesh', 'Agent', '"read"', '"list"', '""', '"nope"'],
  ...['service "a" {', '{"key":{', '"a":{"policy":"write"}', 'policy = "write"', 'acl = "write"', 'true', 'null', '1e9'],
  ...['//', '/*', '*/', '<<E', '<<-E', 'E', '${', '\\n', '\\u0041', '\\ud800', '\u00e9', '\ud83d', '\u2028', '\ufeff'],
]

describe('parsing arbitrary text as ACL rules', () => {
  function parses(text: string): boolean {
    try {
      parseRules(text)
      return true
    } catch (error) {
      expect(error).toBeInstanceOf(KernelError)
      expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/^failed to parse ACL rules: /) })
      expect((error as Error).message.length).toBeLessThan(500)
      return false
    }
  }

  it('succeeds or fails with a 400 error', () => {
    const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((list) => list.join(''))
    fc.assert(
      fc.property(fc.oneof(pieces, fc.string({ unit: anyCharacter })), (text) => {
        parses(text)
      }),
      { numRuns: CASES * 2 },
    )
  })

  it('succeeds or fails with a 400 error after a small change to valid rules', () => {
    let kept = 0
    fc.assert(
      fc.property(
        policy.chain((rules) => fc.constantFrom(hclOf(rules), jsonOf(rules))),
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.constantFrom(...PIECES, ''),
        (text, seed, cut, piece) => {
          const at = seed % (text.length + 1)
          if (parses(text.slice(0, at) + piece + text.slice(at + cut))) kept++
        },
      ),
      { numRuns: CASES },
    )
    expect(kept).toBeGreaterThan(CASES / 100)
  })
})
