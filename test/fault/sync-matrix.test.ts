/**
 * Whatever an external store does at a call, and wherever the process dies: ticks bring store and status to agreement, and nothing is left
 * behind where a secret is not pushed any more.
 */
import { describe, it } from 'vitest'
import { SLOW } from '../property/support.ts'
import { type Cell, type Death, die, goWrong, type Points, pointsOf } from './sync-cells.ts'
import { type Manner, STORES, type StoreUnderTest, warmUp } from './sync-stores.ts'

const MANNERS: readonly Manner[] = ['fails', 'throttles', 'hangs', 'drops', 'drops-after']

const isWhole = ({ isCheap }: StoreUnderTest): boolean => isCheap || SLOW

/** Every call in every manner, once and three times, without SLOW in turn; of a sample each kind of call, at one of the places where it is made. */
function cellsOf(store: StoreUnderTest, { calls }: Points): readonly Cell[] {
  if (isWhole(store))
    return calls.flatMap((call, at) =>
      MANNERS.flatMap((manner, way) =>
        [1, 3].filter((_, turn) => SLOW || turn === (at + way) % 2).map((times): Cell => ({ call, at: at + 1, manner, times })),
      ),
    )
  return [...new Set(calls)].flatMap((call, kind) => {
    const places = calls.flatMap((name, at) => (name === call ? [at + 1] : []))
    return MANNERS.map((manner, way): Cell => {
      const at = places[(kind + way) % places.length] as number
      return { call, at, manner, times: (kind + way) % 2 === 0 ? 1 : 3 }
    })
  })
}

/** Before and after every commit; of a sample one of the first half of them and one of the second. */
function deathsOf(store: StoreUnderTest, { commits }: Points): readonly Death[] {
  const whens = ['before', 'after'] as const
  if (isWhole(store)) return Array.from({ length: commits }, (_, at) => whens.map((when): Death => ({ at: at + 1, when }))).flat()
  const nth = STORES.indexOf(store)
  const half = Math.floor(commits / 2)
  return whens.map((when, part) => ({ at: 1 + part * half + ((nth * 3) % half), when }))
}

for (const { type, isCheap } of STORES) if (!isCheap) await warmUp(type)

describe.each(STORES)('on $name', async (store) => {
  const points = await pointsOf(store)
  it.each(cellsOf(store, points))('call $at ($call) $manner, $times times', (cell) => goWrong(store, cell))
  it.each(deathsOf(store, points))('dies $when commit $at', (death) => die(store, death))
})
