import { describe, expect, it } from 'vitest'
import { drawPassword } from '../../src/core/access/password/generate.ts'
import { type PasswordPolicy, parsePasswordPolicy } from '../../src/core/access/password/policy.ts'
import type { Entropy } from '../../src/core/base/entropy.ts'
import { runToEnd } from '../../src/core/base/steps.ts'
import { createDevKernel, createKernel, keySeal, memoryStorage } from '../../src/index.ts'
import { seededEntropy } from '../../src/testing/index.ts'
import fc from '../fixtures/fast-check.ts'
import { bytesOf, RUNS, refusalOf } from './support.ts'

const passwordOf = (policy: PasswordPolicy, entropy: Entropy): string => runToEnd(drawPassword(policy, entropy))

const parsedPolicy = (text: string) => runToEnd(parsePasswordPolicy(text))

interface Rule {
  readonly charset: string
  readonly least: number
}

const SETS = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789', '-_ !', 'äöü漢字', '🦊🦉', 'z', 'aaab']

const hcl = (length: number, rules: readonly Rule[]): string =>
  [`length = ${length}`]
    .concat(rules.map(({ charset, least }) => `rule "charset" {\n  charset = "${charset}"\n  min-chars = ${least}\n}`))
    .join('\n')

const json = (length: number, rules: readonly Rule[]): string =>
  JSON.stringify({ length, rule: rules.map(({ charset, least }) => ({ charset: [{ charset, 'min-chars': least }] })) })

const rule = fc.record({ charset: fc.constantFrom(...SETS), least: fc.nat({ max: 3 }) })

const policy = fc.record({ length: fc.integer({ min: 12, max: 100 }), rules: fc.array(rule, { minLength: 1, maxLength: 4 }) })

describe('a generated password', () => {
  it('satisfies its policy, which may be in HCL or JSON', () => {
    fc.assert(
      fc.property(policy, fc.nat(), fc.constantFrom(hcl, json), ({ length, rules }, seed, write) => {
        const parsed = parsedPolicy(write(length, rules))
        let password: string
        try {
          password = passwordOf(parsed, seededEntropy(`${seed}`))
        } catch (error) {
          // Requiring several occurrences of a rare character can fail within the limit on attempts.
          expect(error).toMatchObject({ status: 400 })
          expect(rules.some(({ charset, least }) => least > 1 && new Set(charset).size < 3)).toBe(true)
          return
        }
        const characters = [...password]
        expect(characters.length).toBe(length)
        const allowed = new Set(rules.flatMap(({ charset }) => [...charset]))
        expect(characters.every((character) => allowed.has(character))).toBe(true)
        for (const { charset, least } of rules)
          expect(characters.filter((character) => [...charset].includes(character)).length).toBeGreaterThanOrEqual(least)
      }),
      { numRuns: RUNS * 10 },
    )
  })

  it('is chosen uniformly from all passwords that the policy allows', () => {
    // The words of length 4 over a and b with at least one a and two bs: 10 of 16.
    const parsed = parsedPolicy(
      hcl(4, [
        { charset: 'a', least: 1 },
        { charset: 'b', least: 2 },
      ]),
    )
    const entropy = seededEntropy('likely')
    const counts = new Map<string, number>()
    const draws = 10_000
    for (let i = 0; i < draws; i++) {
      const password = passwordOf(parsed, entropy)
      counts.set(password, (counts.get(password) ?? 0) + 1)
    }
    expect(counts.size).toBe(10)
    const expected = draws / 10
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    // Chi-square with 9 degrees of freedom: one run in a thousand exceeds this.
    expect(chiSquare).toBeLessThan(27.9)
  })

  it('contains all characters equally often, even if their number does not divide 256', () => {
    const charset = Array.from({ length: 100 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')
    const parsed = parsedPolicy(hcl(100, [{ charset, least: 0 }]))
    const entropy = seededEntropy('favourite')
    const counts = new Map<string, number>()
    for (let i = 0; i < 1000; i++)
      for (const character of passwordOf(parsed, entropy)) counts.set(character, (counts.get(character) ?? 0) + 1)
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
    // Chi-square with 99 degrees of freedom, one run in a thousand. Bytes modulo 100 would give about 6,000.
    expect(counts.size).toBe(100)
    expect(chiSquare).toBeLessThan(148.3)
  })
})

describe('a password policy', () => {
  it.each([
    [
      'a policy that random passwords hardly ever satisfy',
      hcl(20, [
        { charset: 'z', least: 15 },
        { charset: `${SETS[0]}${SETS[1]}`, least: 0 },
      ]),
    ],
    [
      'a policy with 100 rules',
      hcl(
        100,
        Array.from({ length: 100 }, (_, i) => ({ charset: String.fromCodePoint(0x4e00 + i), least: 1 })),
      ),
    ],
    [
      'a policy whose candidates fail at their first character',
      hcl(4, [
        { charset: 'z', least: 4 },
        { charset: `${SETS[0]}${SETS[1]}${SETS[2]}`, least: 0 },
      ]),
    ],
  ])('ends the generation for %s after at most two million random bytes', (_, text) => {
    const parsed = parsedPolicy(text)
    const seeded = seededEntropy('hostile')
    let drawn = 0
    const counting = {
      bytes: (length: number) => {
        drawn += length
        return seeded.bytes(length)
      },
    }
    let longest = 0
    const draw = (): void => {
      const steps = drawPassword(parsed, counting)
      for (let before = 0, done: boolean | undefined = false; !done; before = drawn) {
        done = steps.next().done
        longest = Math.max(longest, drawn - before)
      }
    }
    expect(draw).toThrow(expect.objectContaining({ status: 400 }))
    expect(longest).toBeLessThan(60_000)
    // Biased bytes are drawn again and are not included in the work that the generator counts.
    expect(drawn).toBeGreaterThan(10_000)
    expect(drawn).toBeLessThan(2_000_000)
  })

  it.each([
    [
      'more than 256 characters',
      hcl(20, [{ charset: Array.from({ length: 257 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join(''), least: 0 }]),
    ],
    ['two charset types in a rule', '{"length":20,"rule":[{"charset":[{"charset":"abc"}],"other":[{}]}]}'],
    ['a duplicate length', 'length = 20\nlength = 30\nrule "charset" { charset = "abc" }'],
    ['a fractional min-chars', 'length = 20\nrule "charset" { charset = "abc" min-chars = 1.5 }'],
    ['an unpaired surrogate', '{"length":20,"rule":{"charset":{"charset":"\\ud800"}}}'],
    ['a line break', 'length = 20\nrule "charset" { charset = "a\\nb" }'],
    ['a nested type', 'length = 20\nrule { charset "two" { charset = "abc" } }'],
    ['more than 300,000 characters', `length = 20\n#${'x'.repeat(300_000)}`],
  ])('is refused with status 400 for %s', (_, text) => {
    expect(() => parsedPolicy(text)).toThrow(expect.objectContaining({ status: 400 }))
  })

  it('is either parsed or refused with a 400 error, whatever its text', () => {
    const word = fc.constantFrom(
      'length',
      '=',
      '20',
      'rule',
      '"charset"',
      '{',
      '}',
      'charset',
      '"abc"',
      'min-chars',
      '1',
      '[',
      ']',
      ',',
      ':',
      '"length"',
      '\n',
      '-1',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(word).map((words) => words.join(' ')),
          fc.string(),
          fc.json(),
        ),
        (text) => {
          try {
            parsedPolicy(text)
          } catch (error) {
            expect(error).toMatchObject({ name: 'KernelError', status: 400 })
          }
        },
      ),
      { numRuns: RUNS * 20 },
    )
  })

  it('belongs to one namespace, in which typed calls write, use, list and delete it', async () => {
    const kernel = await createDevKernel()
    const text = hcl(30, [{ charset: 'abc', least: 2 }])
    await kernel.namespaces.createNamespace({ name: 'team-a' })
    const inside = kernel.namespace('team-a/').policies
    await kernel.policies.writePasswordPolicy({ name: 'app/db', policy: text })
    expect(await kernel.policies.readPasswordPolicy({ name: 'app/db' })).toEqual({ policy: text })
    expect((await kernel.policies.generatePassword({ name: 'app/db' })).password).toMatch(/^[abc]{30}$/)
    expect((await kernel.policies.listPasswordPolicies()).keys).toEqual(['app/db'])
    expect((await inside.listPasswordPolicies()).keys).toEqual([])
    expect(await refusalOf(inside.generatePassword({ name: 'app/db' }))).toMatchObject({ status: 404 })
    expect(await refusalOf(kernel.policies.writePasswordPolicy({ name: 'x.', policy: text }))).toMatchObject({ status: 404 })
    expect(await refusalOf(kernel.policies.writePasswordPolicy({ name: 'x/generate', policy: text }))).toMatchObject({
      status: 405,
    })
    await kernel.policies.deletePasswordPolicy({ name: 'app/db' })
    expect(await refusalOf(kernel.policies.readPasswordPolicy({ name: 'app/db' }))).toMatchObject({ status: 404 })
    await kernel.close()
  })

  it('is deleted with its namespace', async () => {
    const storage = memoryStorage()
    const kernel = await createKernel({ storage, seal: keySeal(bytesOf(32, 1)), initialize: true })
    await kernel.namespaces.createNamespace({ name: 'team-a' })
    const policyText = hcl(30, [{ charset: 'abc', least: 2 }])
    for (let i = 0; i < 100; i++)
      await kernel.namespace('team-a/').policies.writePasswordPolicy({ name: `p${i}`, policy: policyText })
    await kernel.namespaces.deleteNamespace({ name: 'team-a' })
    while ((await kernel.tick()).done > 0);
    expect(await storage.list('r/core/password-policy/')).toEqual([])
    await kernel.close()
  })
})
