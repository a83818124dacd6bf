import { describe, expect, it } from 'vitest'
import { decodeEntry, ENTRY_KINDS, encodeEntry } from '../../src/configsvc/entries/index.ts'
import type { Shape } from '../../src/configsvc/expression/index.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { outcome } from '../unit/configsvc/entries/outcome.ts'

const RUNS = runs({ quick: 250, soak: 20_000 })

/** Strings that some members accept, and strings that no member accepts. */
const words = fc.constantFrom(
  ...[
    '',
    '*',
    'web',
    'tcp',
    'http',
    'GET',
    'allow',
    'deny',
    'v1',
    '/a',
    '15s',
    '-1s',
    '1',
    'true',
    'a == b',
    '__proto__',
    '\ud800',
  ],
)

const anything = fc.oneof(
  { depthSize: 'small' },
  words,
  fc.constantFrom<unknown>(null, 0, 1, -1, 1.5, 100, 1e300, 2n ** 70n, true, false, [], {}, [[]], [null], [{}]),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Usually a value of the right shape. */
function valueFor(shape: Shape): fc.Arbitrary<unknown> {
  const often = (likely: fc.Arbitrary<unknown>) => fc.oneof({ weight: 12, arbitrary: likely }, { weight: 1, arbitrary: anything })
  if (shape.kind === 'list') return often(fc.array(valueFor(shape.of), { maxLength: 3 }))
  if (shape.kind === 'map') return often(fc.dictionary(words, valueFor(shape.of), { maxKeys: 3 }))
  if (shape.kind !== 'record') return shape.kind === 'string' ? often(words) : anything
  const members = Object.entries(shape.members).map(([name, member]) =>
    fc.tuple(fc.constantFrom(name, name, name.toLowerCase()), valueFor(member), fc.integer({ min: 0, max: 9 })),
  )
  const chosen = fc
    .tuple(fc.constant(''), ...members)
    .map(([, ...all]) => all.filter(([, , chance]) => chance < 3).map(([name, value]) => [name, value]))
  return often(chosen.map((all) => Object.fromEntries(all)))
}

const bodies = [...ENTRY_KINDS.values()].map(({ name, body }) => ({
  kind: name,
  arbitrary: fc
    .tuple(valueFor(body.shape), words)
    .map(([members, Name]) => (typeof members === 'object' ? { Name, ...members, Kind: name } : members)),
}))

describe('arbitrary config entry bodies', () => {
  it.each(bodies)('are either stored unchanged or refused: kind $kind', ({ arbitrary }) => {
    fc.assert(
      fc.property(arbitrary, (body) => {
        const before = structuredClone(body)
        const entry = outcome(body)
        expect(body).toEqual(before)
        if (typeof entry === 'string') return
        expect(outcome(entry)).toEqual(entry)
        const stored = { ...entry, CreateIndex: 1, ModifyIndex: 2 }
        expect(decodeEntry(encodeEntry(stored))).toEqual(stored)
      }),
      { numRuns: RUNS },
    )
  })

  it('are refused if they are not an object with a kind', () => {
    fc.assert(
      fc.property(fc.oneof(anything, fc.record({ Kind: anything, kind: anything }, { requiredKeys: [] })), (body) => {
        expect(outcome(body)).toBeTypeOf('string')
      }),
      { numRuns: RUNS },
    )
  })
})
