/** Runs one call in a new process, on a store with a static role that rotates at 03:00, with a window of one hour. */
import { createKernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { fakeClock, fakeDatabasePlugin } from '../../../src/testing/index.ts'
import { startChild } from '../../fixtures/child.ts'
import { recordsOf } from '../../fixtures/copied-store.ts'
import { bytesOf } from '../../property/support.ts'
import type { FirstSchedule, FirstScheduleResult } from './first-schedule.child.ts'

const SEAL_KEY = bytesOf(32, 7)
export const WRITTEN = '2026-11-25T00:30:00Z'

async function prepareStore(): Promise<Pick<FirstSchedule, 'records' | 'sealKey'>> {
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
  await kernel.close()
  return { records, sealKey: Buffer.from(SEAL_KEY).toString('base64') }
}

let store: ReturnType<typeof prepareStore> | undefined

/** @param now The time of the clock in the new process. */
export async function resultOf(use: string, { now = WRITTEN, importFails = false } = {}): Promise<FirstScheduleResult> {
  store ??= prepareStore()
  const child = startChild('test/engines/database/first-schedule.child.ts', { use, now, importFails, ...(await store) })
  const results: unknown[] = []
  for await (const message of child.messages) results.push(message)
  await child.ended
  return results[0] as FirstScheduleResult
}
