/** Tokens and records that a secondary creates before its first sync survive that sync, for every operation that creates something. */
import { beforeAll, describe, expect, it } from 'vitest'
import { EVERY_OPERATION, fill } from '../../fixtures/good-requests.ts'
import { type Cluster, send, World } from '../forwarding/world.ts'

let primary: Cluster
let secondary: Cluster

/** A token or wrapping token that an operation returned. */
interface Made {
  readonly title: string
  readonly token: string
  readonly wrapped: boolean
}

const made: Made[] = []

const bodyOf = (answer: { readonly body?: unknown }) =>
  (answer.body ?? {}) as {
    auth?: { client_token?: string }
    wrap_info?: { token?: string }
    data?: Readonly<Record<string, unknown>>
  }

let root: string

beforeAll(async () => {
  const world = new World()
  primary = await world.primary()
  const { wrap_info } = await primary.kernel.replication.createSecondaryToken({ id: 'berlin' })
  secondary = await world.open()
  await secondary.kernel.replication.enableSecondary({ token: wrap_info?.token ?? '' })
  expect((await secondary.kernel.replication.readStatus()).last_remote_wal).toBe(0)
  root = (await secondary.kernel.tokens.createToken({ policies: ['root'] })).client_token
  for (const listed of EVERY_OPERATION) {
    const { operation, title } = listed
    // Leave out operations that would end the joining, the process or the token itself.
    if (operation.verb !== 'POST' || (!operation.batch && operation.control) || /revoke|renew/i.test(title)) continue
    const { verb, path, body } = fill(listed)
    const plain = bodyOf(await send(secondary, verb, path, body, root))
    if (plain.auth?.client_token) made.push({ title, token: plain.auth.client_token, wrapped: false })
    if (plain.wrap_info?.token) made.push({ title, token: plain.wrap_info.token, wrapped: true })
  }
  const wrapping = {
    method: 'GET',
    path: '/v1/auth/token/lookup-self',
    headers: { 'X-Service-Token': root, 'X-Service-Wrap-TTL': '1h' },
  }
  made.push({
    title: 'a wrapped answer',
    token: bodyOf(await secondary.kernel.handle(wrapping)).wrap_info?.token ?? '',
    wrapped: true,
  })
  for (const type of ['batch', 'service'] as const)
    made.push({
      title: type,
      token: (await secondary.kernel.tokens.createToken({ policies: ['default'], type, ttl: '1h' })).client_token,
      wrapped: false,
    })
  const child = await secondary.kernel.as(root).tokens.createToken({ policies: ['default'], ttl: '1h' })
  made.push({ title: 'a child', token: child.client_token, wrapped: false })
  await send(secondary, 'POST', 'cubbyhole/mine', { v: 'kept' }, root)
  for (let turn = 0; turn < 3; turn++) {
    const { failed } = await secondary.kernel.tick()
    if (failed.length > 0) throw failed[0]?.error
  }
}, 60_000)

describe('a secondary that served requests before its first sync', () => {
  it('has the same Merkle root as its primary after the sync', async () => {
    expect((await send(secondary, 'GET', 'secret/a', undefined, root)).status).toBe(200)
    await primary.kernel.tick()
    await secondary.kernel.tick()
    const [here, there] = [await secondary.kernel.replication.readStatus(), await primary.kernel.replication.readStatus()]
    expect(here.merkle_root).toBe(there.merkle_root)
  })

  it('still accepts its tokens from before the sync, even child and batch tokens', async () => {
    const tokens = made.filter(({ wrapped }) => !wrapped)
    expect(tokens.length).toBeGreaterThan(4)
    for (const { title, token } of tokens)
      expect([title, (await send(secondary, 'GET', 'auth/token/lookup-self', undefined, token)).status]).toEqual([title, 200])
  })

  it('still has its cubbyhole entry from before the sync', async () => {
    expect(bodyOf(await send(secondary, 'GET', 'cubbyhole/mine', undefined, root)).data).toEqual({ v: 'kept' })
  })

  it('still unwraps its wrapped answers from before the sync', async () => {
    const wrapped = made.filter((token) => token.wrapped)
    expect(wrapped.length).toBeGreaterThan(0)
    for (const { title, token } of wrapped)
      expect([title, (await send(secondary, 'POST', 'sys/wrapping/unwrap', { token }, root)).status]).toEqual([title, 200])
  })

  it('has a batch token without a parent that is also valid on its primary', async () => {
    const batch = made.find(({ title }) => title === 'batch')
    expect((await send(primary, 'GET', 'auth/token/lookup-self', undefined, batch?.token)).status).toBe(200)
  })

  it('still revokes a token from before the sync', async () => {
    const { token } = made.find(({ title }) => title === 'a child') as Made
    expect((await send(secondary, 'POST', 'auth/token/revoke', { token }, root)).status).toBe(204)
    expect((await send(secondary, 'GET', 'auth/token/lookup-self', undefined, token)).status).toBe(403)
  })
})
