/** Many schedules, divided into files that run concurrently. A failing schedule is reduced to fewer steps. */
import { test } from 'vitest'
import { runs } from '../../fixtures/runs.ts'
import { type Schedule, STEPS, simulate } from './simulate.ts'
import { whole } from './whole.ts'

const SHARDS = 4

const PER_TEST = 10

/** Every other schedule has role changes. Some of the others change stored records or restore a backup. */
const kindOf = (seed: number): Partial<Schedule> => ({
  roles: seed % 2 === 1,
  tampers: seed % 4 === 2,
  restores: seed % 8 === 4,
})

/** A failing schedule is reduced to fewer steps. */
export const levels = (seed: number): Promise<void> =>
  whole(STEPS, (steps) => simulate({ seed: String(seed), ...kindOf(seed), ...(steps ? { steps } : {}) }))

/** @param shard Counted from 0. */
export function schedules(shard: number): void {
  const count = runs({ quick: 120, soak: 5_000 }) / SHARDS
  const first = shard * count
  for (let from = first; from < first + count; from += PER_TEST) {
    const end = Math.min(from + PER_TEST, first + count)
    test(`replication simulation: schedules ${from} to ${end - 1} end with clusters in sync`, async () => {
      for (let seed = from; seed < end; seed++) await levels(seed)
    })
  }
}
