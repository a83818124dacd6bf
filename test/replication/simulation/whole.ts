/** A schedule that fails is cut down to fewer steps. */
import fc from 'fast-check'

/** How long fewer steps are looked for. */
const MOST_CUTTING_MS = 120_000

/** The schedule of a seed, or where that fails the shortest that was found. @throws Error with its seed, its steps and what it did. */
export async function whole(all: readonly number[], run: (steps?: readonly number[]) => Promise<void>): Promise<void> {
  const failure: unknown = await run().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure === undefined) return
  const fewer = fc.asyncProperty(fc.subarray([...all]), (steps) => run(steps))
  await fc.assert(fewer, { numRuns: 1, examples: [[[...all]]], interruptAfterTimeLimit: MOST_CUTTING_MS })
  throw failure
}
