/**
 * cron-parser is loaded by the first call that needs the time of a scheduled rotation. Each case is a new process, on a store with a static
 * role that rotates at 03:00, with a window of one hour.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { createKernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { fakeClock, fakeDatabasePlugin } from '../../../src/testing/index.ts'
import { startChild } from '../../fixtures/child.ts'
import { recordsOf } from '../../fixtures/copied-store.ts'
import { bytesOf } from '../../property/support.ts'
import type { FirstSchedule, FirstScheduleResult } from './first-schedule.child.ts'

const SEAL_KEY = bytesOf(32, 7)
const WRITTEN = '2026-11-25T00:30:00Z'

let stored: Pick<FirstSchedule, 'records' | 'sealKey'>

beforeAll(async () => {
  const storage = memoryStorage()
  const fake = fakeDatabasePlugin()
  const clock = fakeClock(Date.parse(WRITTEN))
  const kernel = await createKernel({ storage, seal: keySeal(SEAL_KEY), initialize: true, clock, ports: { databases: { fake } } })
  const details = { connection_url: 'fake://localhost', username: 'root', password: 'root-password' }
  await kernel.database.writeConnection({ name: 'db', plugin_name: 'fake', ...details, allowed_roles: ['*'] })
  fake.addUser('reports', 'before')
  const role = { name: 'scheduled', db_name: 'db', username: 'reports', rotation_schedule: '0 3 * * *', rotation_window: '1h' }
  await kernel.database.writeStaticRole(role)
  const records = (await recordsOf(storage)).map(({ key, value }) => [key, Buffer.from(value).toString('base64')] as const)
  stored = { records, sealKey: Buffer.from(SEAL_KEY).toString('base64') }
  await kernel.close()
})

async function resultOf(use: string, { now = WRITTEN, importFails = false } = {}): Promise<FirstScheduleResult> {
  const child = startChild('test/engines/database/first-schedule.child.ts', { use, now, importFails, ...stored })
  const results: unknown[] = []
  for await (const message of child.messages) results.push(message)
  await child.ended
  return results[0] as FirstScheduleResult
}

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
