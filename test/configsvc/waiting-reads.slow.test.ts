/**
 * The memory that reads hold while they wait.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { configWorld, ROOT } from '../fixtures/configsvc.ts'
import { settle } from './turns.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

const READS = 200
const MAX_BYTES_EACH = 20_000

async function heapInUse(): Promise<number> {
  await settle()
  gc()
  return process.memoryUsage().heapUsed
}

it(`${READS} blocking reads of a list of 300 KB keep less than ${(READS * MAX_BYTES_EACH) / 1e6} MB in memory`, async () => {
  await using world = await configWorld()
  const { service, clock, ask } = world
  for (let i = 0; i < 10; i++) await service.roles.create({ Name: `r${i}`, Description: 'x'.repeat(30_000) })
  const { headers, body } = await ask('GET', 'acl/roles')
  expect(JSON.stringify(body).length).toBeGreaterThan(290_000)
  const before = await heapInUse()
  const waiting = Array.from({ length: READS }, () => {
    const query = { index: headers['X-Config-Index'] ?? '', wait: '5m', filler: 'y'.repeat(8_000) }
    const request = { method: 'GET', path: '/v1/acl/roles', query, headers: { 'X-Config-Token': ROOT, Other: 'z'.repeat(8_000) } }
    return service.handle(request)
  })
  for (let turns = 0; turns < 200; turns++) await settle()
  expect((await heapInUse()) - before).toBeLessThan(READS * MAX_BYTES_EACH)
  await clock.advance(400_000)
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200))
})
