/** Large forwarded writes: their size is checked first, and errors have the right reason. */
import { beforeAll, expect, it } from 'vitest'
import { memberOf } from '../../../src/core/json/wide-object.ts'
import { inProcessNetwork, type ReplicationTransport } from '../../../src/index.ts'
import { type Cluster, send, World } from './world.ts'

let primary: Cluster
let secondary: Cluster
let token: string
/** The length of the longest message since the last reset. */
let longest = 0

beforeAll(async () => {
  const inner = inProcessNetwork()
  const replication: ReplicationTransport = {
    listen: inner.listen,
    request: (address, bytes, signal) => {
      longest = Math.max(longest, bytes.length)
      return inner.request(address, bytes, signal)
    },
  }
  const world = new World()
  primary = await world.open({ ports: { replication } })
  await primary.kernel.replication.enablePrimary()
  const { wrap_info } = await primary.kernel.replication.createSecondaryToken({ id: 'berlin' })
  secondary = await world.open({ ports: { replication } })
  await secondary.kernel.replication.enableSecondary({ token: wrap_info?.token ?? '' })
  await secondary.kernel.tick()
  token = (await secondary.kernel.tokens.createToken({ policies: ['root'] })).client_token
}, 60_000)

it('a secondary forwards a secret with 150,000 members in one message', async () => {
  const data = Object.fromEntries(Array.from({ length: 150_000 }, (_, n) => [`member${n}`, n]))
  longest = 0
  expect((await send(secondary, 'POST', 'secret/wide', data, token)).status).toBe(204)
  expect(longest).toBeLessThan(1.1 * JSON.stringify(data).length)
  const { body } = await send(primary, 'GET', 'secret/wide')
  expect(memberOf((body as { data: object }).data, 'member149999')).toBe(149_999)
})

it('a secondary forwards a secret of 4.9 MB', async () => {
  expect((await send(secondary, 'POST', 'secret/long', { v: 'x'.repeat(4_900_000) }, token)).status).toBe(204)
})

it('a secondary refuses with status 413 to forward a write that is longer than a message', async () => {
  const data = { v: 'x'.repeat(8_388_608) }
  longest = 0
  const { status, body } = await send(secondary, 'POST', 'secret/long', data, token)
  expect({ status, body }).toMatchObject({ status: 413, body: { errors: [expect.stringMatching(/at most \d+ bytes/)] } })
  const typed = secondary.kernel.as(token).kv.writeSecret({ path: 'long', data })
  await expect(typed).rejects.toMatchObject({ code: 'ERR_REQUEST_TOO_LARGE' })
  const batch_input = Array.from({ length: 9 }, () => ({ plaintext: new Uint8Array(1 << 20) }))
  const batch = secondary.kernel.as(token).transit.encryptBatch({ name: 'new', batch_input })
  await expect(batch).rejects.toMatchObject({ code: 'ERR_REQUEST_TOO_LARGE' })
  expect(longest).toBe(0)
  await expect(primary.kernel.transit.readKey({ name: 'new' })).rejects.toMatchObject({ status: 404 })
})

it('a forwarded write whose answer is longer than a message fails with an error that says so', async () => {
  const batch_input = Array.from({ length: 7 }, () => ({ plaintext: new Uint8Array(1 << 20) }))
  const batch = secondary.kernel.as(token).transit.encryptBatch({ name: 'new', batch_input })
  await expect(batch).rejects.toMatchObject({ code: 'ERR_REQUEST_TOO_LARGE', message: expect.stringMatching(/answer/) })
})
