import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inReferenceMs, lowest, referenceMs } from '../fixtures/calibration.ts'
import { runs } from '../fixtures/runs.ts'
import { longestStretch } from '../large/stretch.ts'
import { closeKernels, openKernels, SEED, sendHostileRequests } from './surface.ts'

const RUNS = runs({ quick: 4000, soak: 100_000 })
const MAX_STRETCH_MS = 50
/** The total processor time of one request. */
const MAX_REQUEST_MS = 3000
/** The maximum growth of the heap during the run, including stored data. */
const MAX_HEAP_BYTES = 256 * 1024 * 1024

beforeAll(openKernels)
afterAll(closeKernels)

function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

it(`each of ${RUNS} hostile requests is answered within 3 s, blocks the event loop for at most 50 ms, and leaks no heap memory (SEED=${SEED})`, async () => {
  const before = heapUsed()
  await sendHostileRequests(RUNS, async (target, request) => {
    const started = process.cpuUsage()
    const answer = await target.handle(request)
    const { user, system } = process.cpuUsage(started)
    // The longest block is at most the total time, so only requests above the bound are measured again.
    if ((user + system) / 1000 > MAX_STRETCH_MS) {
      expect(await referenceMs(() => target.handle(request), MAX_REQUEST_MS)).toBeLessThan(MAX_REQUEST_MS)
      const stretch = () => inReferenceMs(async () => (await longestStretch(() => target.handle(request))).worst)
      expect(await lowest(stretch, MAX_STRETCH_MS)).toBeLessThan(MAX_STRETCH_MS)
    }
    return answer
  })
  expect(heapUsed() - before).toBeLessThan(MAX_HEAP_BYTES)
})
