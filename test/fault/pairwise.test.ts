import { describe, expect, it } from 'vitest'
import { covering, pairwise } from '../fixtures/pairwise.ts'

interface Cell {
  readonly call: string
  readonly way: number
  readonly then: boolean
}

const MEMBERS = ['call', 'way', 'then'] as const

/** Every combination but `b` with an odd way. */
const CELLS: readonly Cell[] = ['a', 'b', 'c'].flatMap((call) =>
  [1, 2, 3, 4, 5].flatMap((way) => [true, false].flatMap((then) => (call === 'b' && way % 2 === 1 ? [] : [{ call, way, then }]))),
)

const pairsOf = (cells: readonly Cell[]): ReadonlySet<string> =>
  new Set(cells.flatMap(({ call, way, then }) => [`${call} ${way}`, `${call} ${then}`, `${way} ${then}`]))

describe('the pairwise sample of a test matrix', () => {
  it('contains every pair of values that the matrix contains', () => {
    expect(pairsOf(pairwise(CELLS, MEMBERS))).toEqual(pairsOf(CELLS))
  })

  it('has only as many cells as there are pairs of values of the two members with the most values', () => {
    // There are 12 pairs of a call and a way.
    expect(pairwise(CELLS, MEMBERS)).toHaveLength(12)
  })

  it('keeps the order of the matrix, and is the same in every run', () => {
    const sample = pairwise(CELLS, MEMBERS)
    expect(CELLS.filter((cell) => sample.includes(cell))).toEqual(sample)
    expect(pairwise(CELLS, MEMBERS)).toEqual(sample)
  })

  it('covers only the given pairs of members if pairs are given', () => {
    const sample = covering(CELLS, [['call', 'then']])
    expect(sample).toHaveLength(6)
    expect(new Set(sample.map(({ call, then }) => `${call} ${then}`)).size).toBe(6)
  })

  it('is empty for an empty matrix', () => {
    expect(pairwise([] as readonly Cell[], MEMBERS)).toEqual([])
  })
})
