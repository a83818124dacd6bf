/** Many schedules, divided over files so that these run side by side. One that fails is cut down to fewer steps. */
import { test } from 'vitest'
import { type Schedule, STEPS, simulate } from './simulate.ts'
import { whole } from './whole.ts'

const SLOW = Boolean(process.env['SLOW'])
/** How long it takes says nothing of what is tested. */
const TIMEOUT = SLOW ? 7_200_000 : 600_000

const SHARDS = 4

const TOTAL = SLOW ? 5_000 : 120

const PER_TEST = 10

/** In every other schedule clusters change their parts; in some of the rest what they store is changed, or set back to a backup. */
const kindOf = (seed: number): Partial<Schedule> => ({
  roles: seed % 2 === 1,
  tampers: seed % 4 === 2,
  restores: seed % 8 === 4,
})

/** @param shard From 0. */
export function schedules(shard: number): void {
  const count = TOTAL / SHARDS
  const first = shard * count
  for (let from = first; from < first + count; from += PER_TEST) {
    test(`schedules ${from} to ${from + PER_TEST - 1} end with clusters that are level`, { timeout: TIMEOUT }, async () => {
      for (let seed = from; seed < from + PER_TEST; seed++)
        await whole(STEPS, (steps) => simulate({ seed: String(seed), ...kindOf(seed), ...(steps ? { steps } : {}) }))
    })
  }
}
