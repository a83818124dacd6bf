/** The answers and the effects of operations that change the replication role. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callOf, type Method, outcomeOf, pathOf } from './operations.ts'
import { type Cluster, tokenFor, World } from './world.ts'

let world: World
let primary: Cluster
let secondary: Cluster

beforeEach(async () => {
  world = new World()
  primary = await world.primary()
  await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 1 } })
  secondary = await world.secondary(primary, 'b')
})
afterEach(() => world.close())

const kept = async ({ kernel }: Cluster) => (await kernel.kv.readSecret({ path: 'kept' })).data

const modeOf = async ({ kernel }: Cluster) => (await kernel.replication.readStatus()).mode

type Members = Readonly<Record<string, unknown>>

/** Each case uses a separate world. */
const CHANGES: readonly (readonly [Method, string, () => Promise<readonly [Cluster, Members]>])[] = [
  ['enablePrimary', 'primary', async () => [await world.open(), {}]],
  ['demotePrimary', 'secondary', async () => [primary, {}]],
  ['disablePrimary', 'disabled', async () => [primary, {}]],
  ['enableSecondary', 'secondary', async () => [await world.open(), { token: await tokenFor(primary, 'c') }]],
  ['promote', 'primary', async () => [secondary, { force: true }]],
  ['disableSecondary', 'disabled', async () => [secondary, {}]],
  ['updatePrimary', 'secondary', async () => [secondary, { token: await tokenFor(primary, 'c') }]],
]

describe.each(CHANGES)('%s', (method, mode, prepare) => {
  it('answers a request by path with status 200, no data, and a warning about the role change', async () => {
    const [cluster, members] = await prepare()
    const { status, body } = await cluster.send('POST', pathOf(method), members)
    expect(status).toBe(200)
    expect(body?.['data']).toBeNull()
    expect(body?.['warnings']).toEqual(expect.arrayContaining([expect.stringMatching(/changing its replication role/)]))
    expect(await modeOf(cluster)).toBe(mode)
  })

  it('answers a typed call with a warning about the role change, and emits an event if the role has changed', async () => {
    const [cluster, members] = await prepare()
    const events: string[] = []
    cluster.kernel.events.on('replication.mode_changed', ({ mode: now }) => void events.push(now))
    const reply = await callOf(cluster.kernel, method)(members)
    expect(reply['warnings']).toEqual(expect.arrayContaining([expect.stringMatching(/changing its replication role/)]))
    expect(await modeOf(cluster)).toBe(mode)
    await world.clock.advance(0)
    expect(events).toEqual(method === 'updatePrimary' ? [] : [mode])
  })
})

it.each([
  ['enableSecondary', 'ca_file'],
  ['enableSecondary', 'ca_path'],
  ['updatePrimary', 'ca_file'],
  ['updatePrimary', 'ca_path'],
] as const)('%s returns a warning that %s is ignored', async (method, option) => {
  const cluster = method === 'enableSecondary' ? await world.open() : secondary
  const members = { token: await tokenFor(primary, 'c'), [option]: '/etc/ca' }
  const { status, body } = await cluster.send('POST', pathOf(method), members)
  expect(status).toBe(200)
  expect(body?.['warnings']).toEqual(expect.arrayContaining([expect.stringMatching(/ca_file and ca_path are ignored/)]))
})

describe('revokeSecondary', () => {
  it('answers with status 204 whether a secondary has the id or not', async () => {
    for (const id of ['unknown', 'a'.repeat(100_000), '..', 'a/b', 'b']) {
      const shown = id.slice(0, 20)
      const { status } = await primary.send('POST', pathOf('revokeSecondary'), { id })
      expect([shown, status]).toEqual([shown, 204])
      expect(await outcomeOf(primary.kernel.replication.revokeSecondary({ id }))).toEqual({ status: 200, said: '' })
      const known = id === 'b' ? [] : ['b']
      expect([shown, (await primary.kernel.replication.readStatus()).known_secondaries]).toEqual([shown, known])
    }
  })

  it('accepts an id that is not valid Unicode, although no secondary can have such an id', async () => {
    expect((await outcomeOf(primary.kernel.replication.revokeSecondary({ id: '\ud800' }))).status).toBe(200)
    expect((await outcomeOf(primary.kernel.replication.createSecondaryToken({ id: '\ud800' }))).status).toBe(400)
  })

  it('permits another secondary to use the id again', async () => {
    await primary.kernel.replication.revokeSecondary({ id: 'b' })
    const again = await world.secondary(primary, 'b')
    expect(await kept(again)).toEqual({ a: 1 })
    // The revoked secondary with that id receives nothing more.
    await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 2 } })
    await secondary.kernel.tick()
    expect(await kept(secondary)).toEqual({ a: 1 })
  })
})

it('a secondary can have any valid Unicode text as its id', async () => {
  for (const id of ['..', '.', 'a/b', 'é'.repeat(128), '%2F', ' ', '__proto__', 'a\0b', '\u202e']) {
    const secondary = await world.secondary(primary, id)
    expect([id, await kept(secondary)]).toEqual([id, { a: 1 }])
    expect((await primary.kernel.replication.readStatus()).known_secondaries).toEqual(['b', id].sort())
    await primary.kernel.replication.revokeSecondary({ id })
    expect((await primary.kernel.replication.readStatus()).known_secondaries).toEqual(['b'])
  }
})

describe('a change of the replication role', () => {
  it("by enableSecondary discards the cluster's earlier data", async () => {
    const cluster = await world.open()
    const root = cluster.kernel.rootToken as string
    await cluster.kernel.kv.writeSecret({ path: 'own', data: { a: 1 } })
    await cluster.kernel.replication.enableSecondary({ token: await tokenFor(primary, 'c') })
    await cluster.kernel.tick()
    expect((await outcomeOf(cluster.kernel.kv.readSecret({ path: 'own' }))).status).toBe(404)
    expect((await cluster.send('GET', 'secret/kept', undefined, root)).status).toBe(403)
    expect(await kept(cluster)).toEqual({ a: 1 })
  })

  it('by disableSecondary keeps the replicated data and makes them writable', async () => {
    await secondary.kernel.replication.disableSecondary()
    expect(await kept(secondary)).toEqual({ a: 1 })
    await secondary.kernel.kv.writeSecret({ path: 'own', data: { a: 1 } })
    await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 2 } })
    await secondary.kernel.tick()
    expect(await kept(secondary)).toEqual({ a: 1 })
  })

  it('by disablePrimary ends the replication to all secondaries', async () => {
    await primary.kernel.replication.disablePrimary()
    expect(await kept(primary)).toEqual({ a: 1 })
    expect((await secondary.kernel.tick()).failed).toMatchObject([{ lane: 'replication' }])
    await primary.kernel.replication.enablePrimary()
    await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 2 } })
    expect((await secondary.kernel.tick()).failed).toMatchObject([{ lane: 'replication' }])
    expect(await kept(secondary)).toEqual({ a: 1 })
  })

  it('by updatePrimary with addresses uses the first address that answers', async () => {
    const { known_primary_cluster_addrs: known = [] } = await secondary.kernel.replication.readStatus()
    const members = { update_primary_addrs: ['nowhere', ...known] }
    expect((await secondary.send('POST', pathOf('updatePrimary'), members)).status).toBe(200)
    await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 2 } })
    await secondary.kernel.tick()
    expect(await kept(secondary)).toEqual({ a: 2 })
  })

  it('by updatePrimary with an empty token removes the primary and keeps the data', async () => {
    expect((await secondary.send('POST', pathOf('updatePrimary'), { token: '' })).status).toBe(200)
    await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 2 } })
    await secondary.kernel.tick()
    expect(await kept(secondary)).toEqual({ a: 1 })
    await secondary.kernel.replication.updatePrimary({ token: await tokenFor(primary, 'c') })
    await secondary.kernel.tick()
    expect(await kept(secondary)).toEqual({ a: 2 })
  })

  it('by updatePrimary refuses a token of another set', async () => {
    const otherCluster = await world.primary()
    const refused = await outcomeOf(secondary.kernel.replication.updatePrimary({ token: await tokenFor(otherCluster, 'c') }))
    expect(refused.status).toBe(400)
    expect(refused.said).toMatch(/another set/)
    await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 2 } })
    await secondary.kernel.tick()
    expect(await kept(secondary)).toEqual({ a: 2 })
  })
})

describe('promote', () => {
  it('without force succeeds if the secondary has every record of the demoted primary', async () => {
    await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 2 } })
    await primary.kernel.replication.demotePrimary()
    await secondary.kernel.replication.promote()
    expect(await kept(secondary)).toEqual({ a: 2 })
    await secondary.kernel.kv.writeSecret({ path: 'kept', data: { a: 3 } })
    // The former primary can follow without losing writes.
    await primary.kernel.replication.updatePrimary({ token: await tokenFor(secondary, 'former') })
    await primary.kernel.tick()
    expect(await kept(primary)).toEqual({ a: 3 })
    expect(await primary.kernel.replication.readStatus()).toMatchObject({ lost_writes: 0, state: 'stream-wals' })
  })

  it('without force fails with status 503 if the secondary may lack records', async () => {
    await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 2 } })
    const lagging = await world.open()
    await lagging.kernel.replication.enableSecondary({ token: await tokenFor(primary, 'c') })
    await primary.kernel.seal.seal()
    const { status, said } = await outcomeOf(lagging.kernel.replication.promote())
    expect(status).toBe(503)
    expect(said).toMatch(/wait until it has, or use force/)
    expect(await modeOf(lagging)).toBe('secondary')
    expect((await outcomeOf(lagging.kernel.replication.promote({ force: true }))).status).toBe(200)
  })
})

it('a secondary refuses writes of the application to replicated records, but not to its local ones', async () => {
  const { kernel } = secondary
  const error = await kernel.kv.writeSecret({ path: 'kept', data: { a: 2 } }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'ERR_READ_ONLY', status: 400 })
  expect(await kept(secondary)).toEqual({ a: 1 })
  await kernel.tokens.createToken({ policies: ['default'] })
})
