/** Many schedules, divided into files that run concurrently. */
import { test } from 'vitest'
import { runs } from '../../fixtures/runs.ts'
import { whole } from '../simulation/whole.ts'
import { STEPS, simulate } from './simulate.ts'

const SHARDS = 4

const PER_TEST = 5

/** A failing schedule is reduced to fewer steps. */
export const holds = (seed: number): Promise<void> =>
  whole(STEPS, (steps) => simulate({ seed: String(seed), ...(steps ? { steps } : {}) }))

/** @param shard Counted from 0. */
export function schedules(shard: number): void {
  const count = runs({ quick: 100, soak: 5_000 }) / SHARDS
  const first = shard * count
  for (let from = first; from < first + count; from += PER_TEST) {
    test(`replication landscape: schedules ${from} to ${from + PER_TEST - 1} hold all properties`, async () => {
      for (let seed = from; seed < from + PER_TEST; seed++) await holds(seed)
    })
  }
}
