/** cron-parser is loaded by the first call that needs the time of a scheduled rotation. Each case is a new process. */
import { describe, expect, it } from 'vitest'
import { resultOf, WRITTEN } from './first-schedule.ts'

describe('the first schedule of a process', () => {
  it.each([
    ['writePeriod', WRITTEN, 3600],
    ['read', WRITTEN, 9000],
    ['read', '2026-11-25T03:00:00Z', 0],
  ])('is not needed by %s at %s', async (use, now, ttl) => {
    expect(await resultOf(use, { now })).toMatchObject({ before: false, after: false, ttl })
  })

  it('is not needed to refuse a schedule', async () => {
    const result = await resultOf('refusedSchedule')
    expect(result).toMatchObject({ before: false, after: false, keepsPassword: true, refusal: { status: 400 } })
  })

  it.each([
    ['writeSchedule', WRITTEN, 9000],
    ['adoptUser', WRITTEN, 9000],
    ['rotateRole', WRITTEN, 9000],
    ['tick', '2026-11-25T03:00:00Z', 86_400],
    // The window was missed, so the rotation waits for the next day.
    ['tick', '2026-11-25T04:30:00Z', 81_000],
    ['read', '2026-11-25T04:30:00Z', 81_000],
  ])('loads cron-parser for %s at %s', async (use, now, ttl) => {
    expect(await resultOf(use, { now })).toMatchObject({ before: false, after: true, ttl })
  })

  it.each(['writeSchedule', 'adoptUser', 'rotateRole'])(
    'makes %s fail with a 503 and leaves the password, if cron-parser cannot be loaded',
    async (use) => {
      const result = await resultOf(use, { importFails: true })
      const message = 'the code of rotation schedules could not be loaded; retry'
      expect(result).toMatchObject({ before: false, after: false, keepsPassword: true, refusal: { status: 503, message } })
    },
  )
})
