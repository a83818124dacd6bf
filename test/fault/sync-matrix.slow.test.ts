/**
 * The failure matrix of secret sync with each adapter: each kind of call fails in each way at one of its occurrences, and the process dies
 * at two commits. The soak tier tries every cell; in the slow tier the conformance suites of the adapters cover the others.
 */
import { describe, it } from 'vitest'
import { TIER } from '../tiers.ts'
import {
  type Cell,
  type Death,
  die,
  everyCell,
  everyDeath,
  goWrong,
  MANNERS,
  type Points,
  pointsOf,
  WHENS,
} from './sync-cells.ts'
import { ADAPTERS, type StoreUnderTest, warmUp } from './sync-stores.ts'

function cellsOf(points: Points): readonly Cell[] {
  if (TIER === 'soak') return everyCell(points)
  const { calls } = points
  return [...new Set(calls)].flatMap((call, kind) => {
    const places = calls.flatMap((name, at) => (name === call ? [at + 1] : []))
    return MANNERS.map((manner, way): Cell => {
      const at = places[(kind + way) % places.length] as number
      return { call, at, manner, times: (kind + way) % 2 === 0 ? 1 : 3 }
    })
  })
}

/** One death in the first half of the commits and one in the second. */
function deathsOf(store: StoreUnderTest, points: Points): readonly Death[] {
  if (TIER === 'soak') return everyDeath(points)
  const nth = ADAPTERS.indexOf(store)
  const half = Math.floor(points.commits / 2)
  return WHENS.map((when, part) => ({ at: 1 + part * half + ((nth * 3) % half), when }))
}

for (const { type } of ADAPTERS) await warmUp(type)

describe.each(ADAPTERS)('secret sync to $name', async (store) => {
  const points = await pointsOf(store)
  it.each(cellsOf(points))('leaves a consistent state if call $at ($call) $manner $times times', (cell) => goWrong(store, cell))
  it.each(deathsOf(store, points))('leaves a consistent state if its process dies $when commit $at', (death) => die(store, death))
})
