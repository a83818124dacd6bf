/** Many schedules, divided over files so that these run side by side. */
import { test } from 'vitest'
import { whole } from '../simulation/whole.ts'
import { STEPS, simulate } from './simulate.ts'

const SLOW = Boolean(process.env['SLOW'])
/** How long it takes says nothing of what is tested. */
const TIMEOUT = SLOW ? 7_200_000 : 600_000

const SHARDS = 4

const TOTAL = SLOW ? 5_000 : 100

const PER_TEST = 5

/** @param shard From 0. */
export function schedules(shard: number): void {
  const count = TOTAL / SHARDS
  const first = shard * count
  for (let from = first; from < first + count; from += PER_TEST) {
    test(`schedules ${from} to ${from + PER_TEST - 1} hold all properties`, { timeout: TIMEOUT }, async () => {
      for (let seed = from; seed < from + PER_TEST; seed++)
        await whole(STEPS, (steps) => simulate({ seed: String(seed), ...(steps ? { steps } : {}) }))
    })
  }
}
