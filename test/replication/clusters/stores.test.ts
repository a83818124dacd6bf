import { describe, expect, it } from 'vitest'
import { createKernel, inProcessNetwork, type Kernel, keySeal, memoryStorage, restoreStorage } from '../../../src/index.ts'
import { clusters, pair, rootOf, tokenOf } from './cluster.ts'

/** `visibleEverywhere()` waits for this time. */
const cache = { stalenessMs: 100 }

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

async function* again(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

describe('the store of a cluster in a replication set', () => {
  it('has barrier keys of its own, so their rotation and a re-encryption replicate nothing', async () => {
    const [primary, secondary] = await pair(clusters())
    for (let n = 0; n < 20; n++) await primary.kv.writeSecret({ path: `s/${n}`, data: { n } })
    await secondary.tick()
    const root = await rootOf(primary)
    const { last_wal } = await primary.replication.readStatus()
    for (const kernel of [primary, secondary]) {
      await kernel.seal.rotate()
      const { failed } = await kernel.seal.reencrypt()
      expect(failed).toBe(0)
    }
    expect(await rootOf(primary)).toBe(root)
    expect(await rootOf(secondary)).toBe(root)
    expect((await primary.replication.readStatus()).last_wal).toBe(last_wal)
    await primary.kv.writeSecret({ path: 'after', data: { a: 1 } })
    expect((await secondary.tick()).failed).toEqual([])
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
  })

  it('has a log encrypted under the newest barrier key after a re-encryption', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const all = clusters()
    const primary = await all.make({ storage })
    await primary.replication.enablePrimary()
    await primary.kv.writeSecret({ path: 'a', data: { a: 1 } })
    const before = await storage.scan('i/replication/log/')
    await primary.seal.rotate()
    await primary.seal.reencrypt()
    const after = await storage.scan('i/replication/log/')
    expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key))
    for (const [at, { value }] of after.entries()) expect(value).not.toEqual(before[at]?.value)
    const secondary = await all.make()
    await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'x') })
    expect((await secondary.tick()).failed).toEqual([])
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
  })

  it('that is restored on a primary begins a new epoch, and the secondary then runs a Merkle sync', async () => {
    const replication = inProcessNetwork()
    const seal = keySeal(new Uint8Array(32).fill(9))
    const open = (storage = memoryStorage({ maxOps: 128 })): Promise<Kernel> =>
      createKernel({ storage, seal, initialize: true, ports: { replication } })
    const primary = await open()
    const secondary = await clusters().make({ ports: { replication } })
    await primary.replication.enablePrimary()
    await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
    await primary.kv.writeSecret({ path: 'kept', data: { a: 1 } })
    await secondary.tick()
    const backup = await bytesOf(primary.backup())
    await primary.kv.writeSecret({ path: 'lost', data: { a: 1 } })
    await secondary.tick()
    await primary.close()
    const storage = memoryStorage({ maxOps: 128 })
    await restoreStorage(again(backup), storage)
    const restored = await open(storage)
    await restored.kv.writeSecret({ path: 'new', data: { a: 1 } })
    expect((await secondary.tick()).failed).toEqual([])
    expect(await rootOf(secondary)).toBe(await rootOf(restored))
    await expect(secondary.kv.readSecret({ path: 'lost' })).rejects.toMatchObject({ status: 404 })
    expect((await secondary.replication.readStatus()).lost_writes).toBeGreaterThan(0)
  })

  it('that is restored on a secondary is compared with the primary by a Merkle sync', async () => {
    const replication = inProcessNetwork()
    const seal = keySeal(new Uint8Array(32).fill(8))
    const primary = await clusters().make({ ports: { replication } })
    const options = { seal, initialize: true, ports: { replication } }
    const secondary = await createKernel({ storage: memoryStorage({ maxOps: 128 }), ...options })
    await primary.replication.enablePrimary()
    await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
    await secondary.tick()
    const backup = await bytesOf(secondary.backup())
    for (let n = 0; n < 30; n++) await primary.kv.writeSecret({ path: `n/${n}`, data: { n } })
    await secondary.tick()
    await secondary.close()
    const storage = memoryStorage({ maxOps: 128 })
    await restoreStorage(again(backup), storage)
    const restored = await createKernel({ storage, ...options })
    const states: string[] = []
    restored.events.on('replication.state_changed', ({ state }) => states.push(state))
    expect((await restored.tick()).failed).toEqual([])
    expect(states).toContain('merkle-diff')
    expect(await rootOf(restored)).toBe(await rootOf(primary))
    expect((await restored.kv.readSecret({ path: 'n/29' })).data).toEqual({ n: 29 })
  })

  it('accepts no commit after the demotion of the primary, even if another process sent the commit before', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const replication = inProcessNetwork()
    const seal = keySeal(new Uint8Array(32).fill(6))
    let hold: Promise<void> | undefined
    const slow = {
      ...storage,
      commit: async (...args: Parameters<typeof storage.commit>) =>
        hold?.then(() => storage.commit(...args)) ?? storage.commit(...args),
    }
    const firstKernel = await createKernel({ storage, seal, initialize: true, cache, ports: { replication } })
    const two = await createKernel({ storage: slow, seal, cache, ports: { replication } })
    await firstKernel.replication.enablePrimary()
    await two.kv.writeSecret({ path: 'a', data: { a: 1 } })
    let release = (): void => {}
    hold = new Promise((resolve) => {
      release = resolve
    })
    const late = two.kv.writeSecret({ path: 'late', data: { a: 1 } }).then(
      () => 'taken',
      (error: { code: string }) => error.code,
    )
    await firstKernel.replication.demotePrimary()
    const root = await rootOf(firstKernel)
    hold = undefined
    release()
    expect(await late).toBe('ERR_READ_ONLY')
    await firstKernel.visibleEverywhere()
    await expect(firstKernel.kv.readSecret({ path: 'late' })).rejects.toMatchObject({ status: 404 })
    expect(await rootOf(firstKernel)).toBe(root)
  })

  it('replicates a transaction of the application only after its commit', async () => {
    const all = clusters()
    const storage = memoryStorage({ maxOps: 128 })
    const own = memoryStorage({ maxOps: 128 })
    const [primary, secondary] = [await all.make({ storage }), await all.make({ storage: own })]
    await primary.replication.enablePrimary()
    await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one') })
    const back = storage.begin()
    await primary.kv.writeSecret({ path: 'never', data: { a: 1 } }, { transaction: back })
    back.rollback()
    const kept = storage.begin()
    await primary.kv.writeSecret({ path: 'one', data: { a: 1 } }, { transaction: kept })
    await primary.kv.writeSecret({ path: 'two', data: { a: 2 } }, { transaction: kept })
    expect((await kept.commit()).ok).toBe(true)
    expect((await secondary.tick()).failed).toEqual([])
    expect((await secondary.kv.readSecret({ path: 'two' })).data).toEqual({ a: 2 })
    await expect(secondary.kv.readSecret({ path: 'never' })).rejects.toMatchObject({ status: 404 })
    expect(await rootOf(secondary)).toBe(await rootOf(primary))
    const here = own.begin()
    await expect(secondary.kv.writeSecret({ path: 'x', data: { a: 1 } }, { transaction: here })).rejects.toMatchObject({
      code: 'ERR_READ_ONLY',
    })
  })

  it('is one member of the set although several kernels share it', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const replication = inProcessNetwork()
    const seal = keySeal(new Uint8Array(32).fill(7))
    const firstKernel = await createKernel({ storage, seal, initialize: true, cache, ports: { replication } })
    const two = await createKernel({ storage, seal, cache, ports: { replication } })
    await firstKernel.replication.enablePrimary()
    await two.visibleEverywhere()
    await two.kv.writeSecret({ path: 'from-two', data: { a: 1 } })
    const secondary = await clusters().make({ ports: { replication } })
    await secondary.replication.enableSecondary({ token: await tokenOf(two, 'x') })
    await secondary.tick()
    expect((await secondary.kv.readSecret({ path: 'from-two' })).data).toEqual({ a: 1 })
    await firstKernel.close()
    await two.kv.writeSecret({ path: 'again', data: { a: 1 } })
    expect((await secondary.tick()).failed).toEqual([])
    expect((await secondary.kv.readSecret({ path: 'again' })).data).toEqual({ a: 1 })
  })
})
