/** The status endpoints, including `sys/health` and `sys/leader`: names and formats of members, and how they change. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKernel as createChosen } from '../../../src/chosen-kernel.ts'
import { kv } from '../../../src/engines.ts'
import { keySeal, memoryStorage } from '../../../src/index.ts'
import { pathOf } from './operations.ts'
import { type Cluster, START, tokenFor, World } from './world.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const ROOT = /^[0-9a-f]{40}$/

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

let world: World
beforeEach(() => {
  world = new World()
})
afterEach(() => world.close())

const statusOf = ({ kernel }: Cluster) => kernel.replication.readStatus()

const write = ({ kernel }: Cluster, path: string) => kernel.kv.writeSecret({ path, data: { path } })

const clusterId = async (cluster: Cluster) => (await cluster.send('GET', 'sys/health')).body?.['cluster_id'] as string

type Shown = Awaited<ReturnType<typeof statusOf>>

const withoutAddresses = (shown: Shown): Shown =>
  shown.secondaries
    ? { ...shown, secondaries: shown.secondaries.map((secondary) => ({ ...secondary, api_address: '', cluster_address: '' })) }
    : shown

/** A call by path returns the same as a typed call, both in `data` and at the top level, like Vault. */
async function expectSame(cluster: Cluster): Promise<void> {
  const typed = await statusOf(cluster)
  const { status, body } = await cluster.send('GET', pathOf('readStatus'), undefined, null)
  expect(status).toBe(200)
  // Only some callers may see the addresses of secondaries.
  const open = withoutAddresses(typed)
  expect(body?.['data']).toEqual(open)
  expect(body).toMatchObject(open)
  const both = { performance: typed, dr: { mode: 'disabled' } }
  expect(await cluster.kernel.replication.status()).toEqual(both)
  const anonymous = (await cluster.send('GET', pathOf('status'), undefined, null)).body?.['data']
  expect(anonymous).toEqual({ ...both, performance: open })
}

it('a cluster without replication reports only that its mode is "disabled"', async () => {
  const cluster = await world.open()
  expect(await statusOf(cluster)).toEqual({ mode: 'disabled' })
  await expectSame(cluster)
})

it('the replication status contains the addresses of secondaries only if the caller may read sys/replication/status', async () => {
  const primary = await world.primary()
  const secondary = await world.secondary(primary, 'b', { replication: { apiAddress: 'https://b.example' } })
  for (let ticks = 0; ticks < 2; ticks++) await secondary.kernel.tick()
  const { kernel } = primary
  const policy = 'path "sys/replication/*" { capabilities = ["read"] }'
  await kernel.policies.writePolicy({ name: 'reads', policy })
  const reader = (await kernel.tokens.createToken({ policies: ['reads'] })).client_token
  const other = (await kernel.tokens.createToken({ policies: ['default'] })).client_token
  for (const operation of ['readStatus', 'status'] as const) {
    const shown = async (token: string | null): Promise<boolean> => {
      const { status, body } = await primary.send('GET', pathOf(operation), undefined, token)
      expect([operation, status]).toEqual([operation, 200])
      return JSON.stringify(body).includes('b.example')
    }
    expect([operation, await shown(null), await shown('s.unknown'), await shown(other), await shown(reader)]).toEqual([
      operation,
      false,
      false,
      false,
      true,
    ])
    const typed = async (token: string) => JSON.stringify(await kernel.as(token).replication[operation]()).includes('b.example')
    expect([operation, await typed('s.unknown'), await typed(other), await typed(reader)]).toEqual([
      operation,
      false,
      false,
      true,
    ])
  }
})

describe('the status of a primary', () => {
  it('contains the state of the primary and a list of its secondaries', async () => {
    const primary = await world.primary({ replication: { apiAddress: 'https://a.example' } })
    const alone = await statusOf(primary)
    expect(alone).toEqual({
      mode: 'primary',
      state: 'running',
      cluster_id: expect.stringMatching(UUID),
      merkle_root: expect.stringMatching(ROOT),
      last_wal: expect.any(Number),
      last_performance_wal: expect.any(Number),
      corrupted_merkle_tree: false,
      last_corruption_check_epoch: '-62135596800',
      last_reindex_epoch: '0',
      primary_cluster_addr: '',
      known_secondaries: [],
      secondaries: [],
    })
    // The id of the set differs from the id of the cluster.
    expect(alone.cluster_id).not.toBe(await clusterId(primary))
    const secondary = await world.secondary(primary, 'b', { replication: { apiAddress: 'https://b.example' } })
    await tokenFor(primary, 'a')
    // A secondary reports what it applied in one tick with the next.
    for (let ticks = 0; ticks < 2; ticks++) await secondary.kernel.tick()
    const { known_secondaries, secondaries } = await statusOf(primary)
    expect(known_secondaries).toEqual(['a', 'b'])
    expect(secondaries).toEqual([
      {
        node_id: 'b',
        api_address: 'https://b.example',
        cluster_address: await clusterId(secondary),
        connection_status: 'connected',
        last_heartbeat: expect.stringMatching(RFC3339),
        lag: 0,
      },
    ])
    expect(Date.parse(secondaries?.[0]?.last_heartbeat as string)).toBe(START)
    await expectSame(primary)
  })

  it('contains one index for all writes and another for the writes that performance secondaries receive', async () => {
    const primary = await world.primary()
    const begun = await statusOf(primary)
    await write(primary, 'a')
    const written = await statusOf(primary)
    expect(written.last_wal).toBeGreaterThan(begun.last_wal as number)
    expect(written.last_performance_wal).toBe(written.last_wal)
    expect(written.merkle_root).not.toBe(begun.merkle_root)
    await primary.kernel.tokens.createToken({ policies: ['default'] })
    const local = await statusOf(primary)
    expect(local.last_wal).toBeGreaterThan(written.last_wal as number)
    expect(local.last_performance_wal).toBe(written.last_performance_wal)
    expect(local.merkle_root).toBe(written.merkle_root)
  })

  it('lists a secondary as disconnected after 31 seconds without contact, and not at all after its revocation', async () => {
    const primary = await world.primary()
    const secondary = await world.secondary(primary, 'b')
    await world.clock.advance(31_000)
    expect((await statusOf(primary)).secondaries).toMatchObject([{ node_id: 'b', connection_status: 'disconnected' }])
    await secondary.kernel.tick()
    expect((await statusOf(primary)).secondaries).toMatchObject([{ node_id: 'b', connection_status: 'connected' }])
    await primary.kernel.replication.revokeSecondary({ id: 'b' })
    expect(await statusOf(primary)).toMatchObject({ known_secondaries: [], secondaries: [] })
  })

  it('contains a new cluster id after replication was disabled and enabled again', async () => {
    const primary = await world.primary()
    const { cluster_id } = await statusOf(primary)
    await primary.kernel.replication.disablePrimary()
    expect(await statusOf(primary)).toEqual({ mode: 'disabled' })
    await primary.kernel.replication.enablePrimary()
    const again = await statusOf(primary)
    expect(again.cluster_id).toMatch(UUID)
    expect(again.cluster_id).not.toBe(cluster_id)
    expect(again.known_secondaries).toEqual([])
  })

  it('after its demotion is that of an idle secondary with the same cluster id', async () => {
    const primary = await world.primary()
    await write(primary, 'a')
    const { cluster_id, merkle_root } = await statusOf(primary)
    await primary.kernel.replication.demotePrimary()
    expect(await statusOf(primary)).toMatchObject({
      mode: 'secondary',
      state: 'idle',
      cluster_id,
      merkle_root,
      known_primary_cluster_addrs: [],
      primaries: [],
      secondary_id: '',
      connection_state: 'shutdown',
      last_error: 'no primary is known',
    })
  })

  it('has the state "idle" and an error if the transport cannot listen', async () => {
    const replication = { listen: () => Promise.reject(new Error('taken')), request: () => Promise.reject(new Error('no')) }
    const primary = await world.primary({ ports: { replication } })
    const { state, last_error } = await statusOf(primary)
    expect(state).toBe('idle')
    expect(last_error).toMatch(/taken/)
  })
})

describe('the status of a secondary', () => {
  let primary: Cluster
  let secondary: Cluster
  beforeEach(async () => {
    primary = await world.primary({ replication: { apiAddress: 'https://a.example' } })
    await write(primary, 'kept')
    secondary = await world.secondary(primary, 'b')
  })

  it('contains the state of the secondary and its primary', async () => {
    const address = await clusterId(primary)
    // Each kernel of a cluster has its own address.
    const kernel = expect.stringMatching(new RegExp(`^${address}/[A-Za-z0-9]{16}$`))
    const of = await statusOf(primary)
    const shown = await statusOf(secondary)
    expect(shown).toEqual({
      mode: 'secondary',
      state: 'stream-wals',
      cluster_id: of.cluster_id,
      merkle_root: of.merkle_root,
      last_wal: expect.any(Number),
      last_remote_wal: expect.any(Number),
      corrupted_merkle_tree: false,
      last_corruption_check_epoch: '-62135596800',
      last_reindex_epoch: '0',
      primary_cluster_addr: address,
      secondary_id: 'b',
      known_primary_cluster_addrs: [kernel],
      primaries: [
        {
          api_address: 'https://a.example',
          cluster_address: kernel,
          connection_status: 'connected',
          last_heartbeat: new Date(START).toISOString(),
        },
      ],
      connection_state: 'ready',
      lag: 0,
      lost_writes: 0,
    })
    expect(shown.last_remote_wal).toBeGreaterThanOrEqual(of.last_performance_wal as number)
    await expectSame(secondary)
  })

  it('contains the position of the last tick until the next tick', async () => {
    const before = await statusOf(secondary)
    for (const path of ['a', 'b', 'c']) await write(primary, path)
    const of = await statusOf(primary)
    expect((await statusOf(secondary)).merkle_root).not.toBe(of.merkle_root)
    await secondary.kernel.tick()
    const level = await statusOf(secondary)
    expect(level).toMatchObject({ state: 'stream-wals', merkle_root: of.merkle_root, lag: 0 })
    expect((level.last_remote_wal as number) - (before.last_remote_wal as number)).toBeGreaterThanOrEqual(3)
    expect(level.last_remote_wal).toBeGreaterThanOrEqual(of.last_performance_wal as number)
  })

  it('has the state "idle" and an error while the primary is unreachable', async () => {
    await write(primary, 'later')
    await primary.kernel.seal.seal()
    const { failed } = await secondary.kernel.tick()
    expect(failed).toMatchObject([{ lane: 'replication' }])
    expect(await statusOf(secondary)).toMatchObject({
      mode: 'secondary',
      state: 'idle',
      connection_state: 'transient_failure',
      last_error: expect.stringMatching(/^\w.{10,}/),
      primaries: [{ connection_status: 'disconnected' }],
    })
    await primary.kernel.seal.unseal()
    expect((await secondary.kernel.tick()).failed).toEqual([])
    const level = await statusOf(secondary)
    expect(level).toMatchObject({ state: 'stream-wals', merkle_root: (await statusOf(primary)).merkle_root })
    expect(level).not.toHaveProperty('last_error')
  })

  it('has the state "idle" and an error after the secondary was revoked', async () => {
    await primary.kernel.replication.revokeSecondary({ id: 'b' })
    expect((await secondary.kernel.tick()).failed).toMatchObject([{ lane: 'replication' }])
    const { state, last_error } = await statusOf(secondary)
    expect(state).toBe('idle')
    expect(last_error).toMatch(/revoked/)
    expect((await secondary.kernel.kv.readSecret({ path: 'kept' })).data).toEqual({ path: 'kept' })
  })

  it('contains no primary after updatePrimary with an empty token', async () => {
    await secondary.kernel.replication.updatePrimary({ token: '' })
    await secondary.kernel.tick()
    expect(await statusOf(secondary)).toMatchObject({
      mode: 'secondary',
      state: 'idle',
      known_primary_cluster_addrs: [],
      primaries: [],
      last_error: 'no primary is known',
    })
  })

  it('after a forced promotion is that of a primary with the same cluster id', async () => {
    const { cluster_id } = await statusOf(primary)
    await secondary.kernel.replication.promote({ force: true, primary_cluster_addr: 'b.example' })
    expect(await statusOf(secondary)).toMatchObject({
      mode: 'primary',
      state: 'running',
      cluster_id,
      primary_cluster_addr: 'b.example',
      known_secondaries: [],
      secondaries: [],
    })
  })
})

describe.each(['sys/health', 'sys/leader'])('%s', (path) => {
  const shownStatus = async (cluster: Cluster) => {
    const { status, body } = await cluster.send('GET', path, undefined, null)
    const { replication_performance_mode, replication_dr_mode, last_wal } = body ?? {}
    return { status, replication_performance_mode, replication_dr_mode, last_wal }
  }

  it('reports the replication role of the cluster', async () => {
    const cluster = await world.open()
    const plain = { status: 200, replication_performance_mode: 'disabled', replication_dr_mode: 'disabled', last_wal: undefined }
    expect(await shownStatus(cluster)).toEqual(plain)
    await cluster.kernel.replication.enablePrimary()
    await write(cluster, 'a')
    const { last_wal } = await statusOf(cluster)
    expect(await shownStatus(cluster)).toEqual({ ...plain, replication_performance_mode: 'primary', last_wal })
    const secondary = await world.secondary(cluster, 'b')
    expect(await shownStatus(secondary)).toEqual({
      ...plain,
      replication_performance_mode: 'secondary',
      last_wal: (await statusOf(secondary)).last_wal,
    })
    await secondary.kernel.replication.disableSecondary()
    expect(await shownStatus(secondary)).toEqual(plain)
  })

  it('reports the replication role as "unknown" while the kernel is sealed', async () => {
    const cluster = await world.primary()
    await cluster.kernel.seal.seal()
    const { replication_performance_mode, replication_dr_mode, last_wal } = await shownStatus(cluster)
    expect([replication_performance_mode, replication_dr_mode, last_wal]).toEqual(['unknown', 'unknown', undefined])
    await cluster.kernel.seal.unseal()
    expect((await shownStatus(cluster)).replication_performance_mode).toBe('primary')
  })

  it('reports the replication role as "disabled" for a kernel without the replication engine', async () => {
    const seal = keySeal(new Uint8Array(32))
    await using kernel = await createChosen({ storage: memoryStorage(), seal, initialize: true, engines: [kv()] })
    const { status, body } = await kernel.handle({ method: 'GET', path: `/v1/${path}` })
    expect(status).toBe(200)
    expect(body).toMatchObject({ replication_performance_mode: 'disabled', replication_dr_mode: 'disabled' })
    expect(body).not.toHaveProperty('last_wal')
  })
})

it('the status of a kernel shows the role of its cluster and how many entries the slowest secondary lacks', async () => {
  const alone = await world.open()
  expect((await alone.kernel.status()).replication).toEqual([])
  const primary = await world.primary()
  const secondary = await world.secondary(primary, 'b')
  for (let ticks = 0; ticks < 2; ticks++) await secondary.kernel.tick()
  expect((await primary.kernel.status()).replication).toEqual([{ kind: 'performance', mode: 'primary', lag: 0 }])
  expect((await secondary.kernel.status()).replication).toEqual([{ kind: 'performance', mode: 'secondary', lag: 0 }])
  await write(primary, 'one')
  await write(primary, 'two')
  const [{ lag = 0 } = {}] = (await primary.kernel.status()).replication
  expect(lag).toBeGreaterThan(0)
})
