import { expect, it } from 'vitest'
import { inReferenceMs, lowest } from '../fixtures/calibration.ts'
import fc from '../fixtures/fast-check.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { ask, jwt, open, role } from './login-arbitraries.ts'

const LOGINS = 200
const MAX_MS = 500

it(`each of ${LOGINS} random orchestrator logins takes less than ${MAX_MS} ms`, async () => {
  const clock = movingClock()
  const kernel = await open({ clock })
  const logins = fc.sample(fc.record({ role, jwt }), { numRuns: LOGINS, seed: 19 })
  const measure = () =>
    inReferenceMs(async () => {
      let worst = 0
      for (const login of logins) {
        clock.advance(1_000)
        const before = process.cpuUsage()
        await ask(kernel, 'POST', 'orchestrator/login', login)
        const { user, system } = process.cpuUsage(before)
        worst = Math.max(worst, (user + system) / 1000)
      }
      return worst
    })
  expect(await lowest(measure, MAX_MS)).toBeLessThan(MAX_MS)
  await kernel.close()
})
