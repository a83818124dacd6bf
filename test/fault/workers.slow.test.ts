/** Worker threads exit, throw, return wrong data or hang at any of their orders. Every item still gets its result. */
import { describe, expect, it } from 'vitest'
import { Pool } from '../../src/adapters/workers-node/pool.ts'
import { watchedWorkers } from '../fixtures/workers.ts'
import { closeKernelsAfterEach, failing, kernelWith, roundTrip } from './with-threads.ts'

closeKernelsAfterEach()

describe('a batch on failing worker threads', () => {
  const faults = ['process.exit(1)', 'throw new Error()', "port.postMessage({ id, data: { done: 'no', texts: 7 } })"]
  const cells = faults.flatMap((fault) => [1, 2, 3].map((at) => ({ fault, at })))

  it.each(cells)("returns every item's result in order if a thread runs $fault at task $at", async ({ fault, at }) => {
    const watched = watchedWorkers(new Pool(failing(fault, at), 2, 60_000))
    await roundTrip(await kernelWith(watched.port), 300)
    expect(watched.orders.length).toBeGreaterThan(2)
  })

  it.each(['for (;;);', '', "port.postMessage('who?')"])(
    'completes after the timeout of the pool if a thread never answers (%s)',
    async (fault) => {
      const watched = watchedWorkers(new Pool(failing(fault, 1), 1, 300))
      await roundTrip(await kernelWith(watched.port), 100)
      expect(watched.answered).toBe(0)
    },
  )
})
