/** Many schedules, divided over files so that these run side by side. One that fails is cut down to fewer steps. */
import fc from 'fast-check'
import { test, vi } from 'vitest'
import { type Schedule, STEPS, simulate } from './simulate.ts'

const SLOW = Boolean(process.env['SLOW'])
// How long it takes says nothing of what is tested.
vi.setConfig({ testTimeout: SLOW ? 7_200_000 : 600_000 })

const SHARDS = 4

const TOTAL = SLOW ? 10_000 : 120

const PER_TEST = 10

/** How long fewer steps are looked for. */
const MOST_CUTTING_MS = 120_000

/** In every other schedule clusters change their parts; in some of the rest what they store is changed, or set back to a backup. */
const kindOf = (seed: number): Partial<Schedule> => ({
  roles: seed % 2 === 1,
  tampers: seed % 4 === 2,
  restores: seed % 8 === 4,
})

/** The schedule of a seed, or where that fails the shortest that was found. @throws Error with its seed, its steps and what it did. */
export async function whole(run: (steps?: readonly number[]) => Promise<void>, all: readonly number[] = STEPS): Promise<void> {
  const failure: unknown = await run().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure === undefined) return
  const fewer = fc.asyncProperty(fc.subarray([...all]), (steps) => run(steps))
  await fc.assert(fewer, { numRuns: 1, examples: [[[...all]]], interruptAfterTimeLimit: MOST_CUTTING_MS })
  throw failure
}

/** @param shard From 0. */
export function schedules(shard: number): void {
  const count = TOTAL / SHARDS
  const first = shard * count
  for (let from = first; from < first + count; from += PER_TEST) {
    test(`schedules ${from} to ${from + PER_TEST - 1} end with clusters that are level`, async () => {
      for (let seed = from; seed < from + PER_TEST; seed++)
        await whole((steps) => simulate({ seed: String(seed), ...kindOf(seed), ...(steps ? { steps } : {}) }))
    })
  }
}
