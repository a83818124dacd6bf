/**
 * Ways that take turns, a batch each, so that all meet the same server in the same state.
 */
import { performance } from 'node:perf_hooks'
import { Rounds } from './measure.mjs'

/** Microseconds per item, per way and round. @param ways name to `prepare()`, which is not timed and returns what is. */
export async function takingTurns(ways, rounds, items) {
  const samples = new Map(Object.keys(ways).map((name) => [name, []]))
  // The first round is for nothing: code that nobody has run yet.
  for (let round = 0; round <= rounds; round++) {
    const order = Object.entries(ways)
    if (round % 2) order.reverse()
    for (const [name, prepare] of order) {
      const { run, after } = await prepare()
      const begin = performance.now()
      await run()
      const took = ((performance.now() - begin) * 1000) / items
      await after?.()
      if (round > 0) samples.get(name).push(took)
    }
  }
  return new Rounds(samples)
}
