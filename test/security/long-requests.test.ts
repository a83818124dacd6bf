import { expect } from 'vitest'
import { describeLongRequests } from './long-requests.ts'

describeLongRequests({
  lengths: [4096],
  each: 3,
  check: async (requests) => {
    for (const { shape, send } of requests) expect((await send()).status, shape).toBeLessThan(500)
  },
})
