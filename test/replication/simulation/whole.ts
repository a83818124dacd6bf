/** Reduces a failing schedule to fewer steps. */
import fc from 'fast-check'

/** The maximum time of the reduction. */
const MAX_CUTTING_MS = 120_000

/** Runs a schedule. @throws Error of the shortest failing schedule that was found, with its seed, steps and history. */
export async function whole(all: readonly number[], run: (steps?: readonly number[]) => Promise<void>): Promise<void> {
  const failure: unknown = await run().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure === undefined) return
  const fewer = fc.asyncProperty(fc.subarray([...all]), (steps) => run(steps))
  await fc.assert(fewer, { numRuns: 1, examples: [[[...all]]], interruptAfterTimeLimit: MAX_CUTTING_MS })
  throw failure
}
