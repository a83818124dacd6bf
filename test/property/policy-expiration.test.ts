import { describe, expect, it } from 'vitest'
import { type Acl, type AclOperation, compileAcl, isValidAt, parsePolicy } from '../../src/core/policy/index.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'

const words = (...list: string[]) => fc.constantFrom(...list)

interface Block {
  readonly pattern: string
  readonly capabilities: readonly string[]
  /** In seconds. */
  readonly ends: number | undefined
}

const block: fc.Arbitrary<Block> = fc.record({
  pattern: words('a', 'a/*', '*', '+', '+/b', 'a/+', 'a/b', 'a/{{identity.entity.name}}'),
  capabilities: fc.oneof({ weight: 4, arbitrary: fc.subarray(['create', 'read', 'list', 'sudo']) }, fc.constant(['deny'])),
  ends: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
})
const policies = fc.array(fc.array(block, { maxLength: 6 }), { maxLength: 3 })

/** Writes a policy in HCL or JSON, with expirations as numbers, strings or RFC 3339 times. */
function textOf(blocks: readonly Block[], json: boolean): string {
  const parts = blocks.map(({ pattern, capabilities, ends }, i) => {
    const forms = ends === undefined ? [] : [ends, String(ends), new Date(ends * 1000).toISOString()]
    return { [pattern]: { capabilities, ...(ends === undefined ? {} : { expiration: forms[i % 3] }) } }
  })
  if (json) return JSON.stringify({ path: parts })
  const lines = parts.map((part) => {
    const [[pattern, members]] = Object.entries(part) as [[string, object]]
    const inside = Object.entries(members).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    return `path ${JSON.stringify(pattern)} {\n${inside.join('\n')}\n}`
  })
  return lines.join('\n')
}

const identity = { entity: { id: 'e', name: 'b', metadata: {}, aliases: {} } }

const compiled = (all: readonly (readonly Block[])[], json: boolean, now?: number): Acl =>
  compileAcl(
    all.map((blocks, i) => ({ name: `p${i}`, policy: parsePolicy(textOf(blocks, json)), namespace: '' })),
    identity,
    now,
  )

const OPERATIONS: readonly AclOperation[] = ['create', 'read', 'list', 'update']
const PATHS = ['a', 'a/', 'b', 'a/b', 'a/b/', 'c/b', 'a/b/c']

const answers = (acl: Acl) =>
  PATHS.flatMap((path) => [
    acl.capabilities(path),
    ...OPERATIONS.map((operation) => [acl.decide({ operation, path }), acl.explain({ operation, path }).reason]),
  ])

describe('policies with expiring paths', () => {
  it('decide as if expired paths were absent, and report how long the decision is valid', () => {
    fc.assert(
      fc.property(
        policies,
        fc.boolean(),
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 0, max: 9 }),
        (all, json, half, later) => {
          const [now, then] = [half * 500, later * 500]
          const acl = compiled(all, json, now)
          const alive = all.map((blocks) => blocks.filter(({ ends }) => ends === undefined || now < ends * 1000))
          expect(answers(acl)).toEqual(answers(compiled(alive, json, 0)))
          expect(isValidAt(acl.validity, now)).toBe(true)
          if (isValidAt(acl.validity, then)) expect(answers(compiled(all, json, then))).toEqual(answers(acl))
        },
      ),
      { numRuns: runs({ quick: 400, soak: 40_000 }) },
    )
  })

  it('deny every request if the current time is not a finite number', () => {
    fc.assert(
      fc.property(policies, words('NaN', 'Infinity', '-Infinity'), (all, time) => {
        const now = Number(time)
        const acl = compiled(all, false, now)
        const isEndless = all.flat().every(({ ends }) => ends === undefined)
        expect(isValidAt(acl.validity, now)).toBe(isEndless)
        if (isEndless) expect(answers(acl)).toEqual(answers(compiled(all, false, 0)))
        else
          for (const path of PATHS)
            for (const operation of OPERATIONS) expect(acl.decide({ operation, path }).allowed).toBe(false)
      }),
      { numRuns: runs({ quick: 200, soak: 20_000 }) },
    )
  })

  it.each(['""', '"soon"', '"2027-01-01"', '-1', '1.5', '1e300', '253402300800', 'true', '[]', '{}', '123456789012345678901'])(
    'are refused if the expiration of a path is %s',
    (value) => {
      expect(() => parsePolicy(`path "a" { expiration = ${value} }`)).toThrow(/path "a": expiration/)
    },
  )
})
