import { expect } from 'vitest'
import { referenceMs } from '../fixtures/calibration.ts'
import { TIER } from '../tiers.ts'
import { describeLongRequests } from './long-requests.ts'

/** Short lengths as well, because a length limit refuses the longest before anything else reads them. */
const LENGTHS = TIER === 'soak' ? [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536] : [4096, 65_536]

/** Processor milliseconds for one request. Quadratic work takes a hundred times as long at the greatest length. */
const MAX_MS = 25

describeLongRequests({
  lengths: LENGTHS,
  each: 1,
  check: async (requests) => {
    const bound = requests.length * MAX_MS
    const before = process.cpuUsage()
    for (const { shape, send } of requests) expect((await send()).status, shape).toBeLessThan(500)
    const { user, system } = process.cpuUsage(before)
    // The calibration loop takes longer than most requests, so it runs only if this machine exceeds the bound.
    if ((user + system) / 1000 < bound) return
    for (const { shape, send } of requests) expect(await referenceMs(send, MAX_MS), shape).toBeLessThan(MAX_MS)
  },
})
