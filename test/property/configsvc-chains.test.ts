/** Random config entries are accepted exactly if a naive validator accepts them, in any order. */
import { describe, expect, it } from 'vitest'
import { KernelError } from '../../src/core/base/errors.ts'
import { EntrySet, type Wish } from '../fixtures/entry-set.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { naiveAccepts } from './configsvc-chains-naive.ts'
import { keyOf, link, SERVICES, together, wish, wishFor } from './configsvc-entry-sets.ts'

const CASES = runs({ quick: 500, soak: 100_000 })

function accepted(from: EntrySet, wishes: readonly Wish[]): EntrySet | undefined {
  try {
    return from.apply(...wishes)
  } catch (error) {
    if (error instanceof KernelError && error.status === 400) return undefined
    throw error
  }
}

function naively(from: EntrySet, wishes: readonly Wish[]): boolean {
  const written = new Set(wishes.flatMap((wish) => ('put' in wish ? keyOf(wish) : [])))
  return naiveAccepts(from.with(wishes).entries, from.entries, SERVICES, written)
}

describe('random writes of config entries', () => {
  it.each([
    { what: 'of every kind', wishes: together(wish, 2) },
    { what: 'of long chains', wishes: together(wishFor(link), 1) },
  ])('$what are accepted exactly if a naive validator accepts each change in the sequence', ({ wishes: each }) => {
    const counts = { yes: 0, no: 0 }
    fc.assert(
      fc.property(fc.array(each, { minLength: 1, maxLength: 40, size: 'max' }), (steps) => {
        let set = new EntrySet([{ Kind: 'proxy-defaults', Name: 'global', Config: { protocol: 'http' } }])
        for (const wishes of steps) {
          const next = accepted(set, wishes)
          expect(next !== undefined, JSON.stringify({ wishes, set: [...set.entries.values()] })).toBe(naively(set, wishes))
          counts[next ? 'yes' : 'no']++
          set = next ?? set
        }
      }),
      { numRuns: CASES / 5 },
    )
    // The property says little unless both outcomes are frequent.
    expect(counts.yes).toBeGreaterThan(counts.no / 10)
    expect(counts.no).toBeGreaterThan(counts.yes / 10)
  })

  it('in one set are accepted exactly if a naive validator accepts the set, in any order', () => {
    fc.assert(
      fc.property(
        together(wish, 8).chain((wishes) =>
          fc.tuple(fc.constant(wishes), fc.shuffledSubarray(wishes, { minLength: wishes.length })),
        ),
        ([wishes, shuffled]) => {
          const empty = new EntrySet()
          const is = accepted(empty, wishes) !== undefined
          expect(is).toBe(naively(empty, wishes))
          expect(accepted(empty, shuffled) !== undefined).toBe(is)
        },
      ),
      { numRuns: CASES },
    )
  })
})
