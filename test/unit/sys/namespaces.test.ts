import { describe, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { Crashed, crashingStorage, fakeClock } from '../../../src/testing/index.ts'
import { runs } from '../../fixtures/runs.ts'

const KEY = new Uint8Array(32).fill(7)
const MANY = runs({ quick: 60, soak: 5000 })

const openOn = (storage: Storage) => createKernel({ storage, seal: keySeal(KEY), initialize: true, clock: fakeClock() })

async function tickUntilDone(kernel: Kernel): Promise<void> {
  for (;;) {
    const { done, more, failed } = await kernel.tick()
    expect(failed).toEqual([])
    if (done === 0 && !more) return
  }
}

/** Creates a namespace with metadata and `MANY` policies. */
async function fill(kernel: Kernel): Promise<void> {
  const inside = kernel.namespace('team-a/')
  await kernel.namespaces.createNamespace({ name: 'team-a', custom_metadata: { owner: 'ann' } })
  for (let i = 0; i < MANY; i++)
    await inside.policies.writePolicy({ name: `p${i}`, policy: 'path "a" { capabilities = ["read"] }' })
}

const keysOf = async (storage: Storage): Promise<readonly string[]> =>
  (await storage.scan('')).map(({ key }) => key).filter((key) => !/^i\/(claim|guard)\//.test(key))

describe('namespaces', () => {
  it('can be created, nested, listed, patched and removed', async () => {
    const kernel = await createDevKernel()
    const made = await kernel.namespaces.createNamespace({ name: 'team-a', custom_metadata: { owner: 'ann' } })
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9A-Za-z]{6}$/),
      uuid: expect.any(String),
      path: 'team-a/',
      custom_metadata: { owner: 'ann' },
    })
    await kernel.namespace('team-a').namespaces.createNamespace({ name: 'apps' })
    expect((await kernel.namespaces.listNamespaces()).keys).toEqual(['team-a/'])
    expect((await kernel.namespace('team-a/').namespaces.listNamespaces()).keys).toEqual(['apps/'])
    expect(
      await kernel.namespaces.patchNamespace({ name: 'team-a', custom_metadata: { owner: null, since: '2026' } }),
    ).toMatchObject({
      custom_metadata: { since: '2026' },
    })
    await expect(kernel.namespaces.deleteNamespace({ name: 'team-a' })).rejects.toMatchObject({ status: 400 })
    await kernel.namespace('team-a/').namespaces.deleteNamespace({ name: 'apps' })
    await kernel.namespaces.deleteNamespace({ name: 'team-a' })
    expect((await kernel.namespaces.listNamespaces()).keys).toEqual([])
    await expect(kernel.namespace('team-a/').policies.listPolicies()).rejects.toMatchObject({ status: 404 })
    await kernel.close()
  })

  it('do not contain the data of their parent, or of a removed namespace with the same name', async () => {
    const kernel = await createDevKernel()
    await fill(kernel)
    await expect(kernel.policies.readPolicy({ name: 'p0' })).rejects.toMatchObject({ status: 404 })
    await kernel.namespaces.deleteNamespace({ name: 'team-a' })
    await kernel.namespaces.createNamespace({ name: 'team-a' })
    expect((await kernel.namespace('team-a/').policies.listPolicies()).keys).toEqual(['default'])
    await tickUntilDone(kernel)
    expect((await kernel.namespace('team-a/').policies.listPolicies()).keys).toEqual(['default'])
    await kernel.close()
  })

  it('leave no records after their removal and the purge by ticks', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const kernel = await openOn(storage)
    const before = await keysOf(storage)
    await fill(kernel)
    await kernel.namespaces.deleteNamespace({ name: 'team-a' })
    await tickUntilDone(kernel)
    expect(await keysOf(storage)).toEqual(before)
    await kernel.close()
  })

  it('are removed completely after a crash at any commit of the removal', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let crashAt = 1; ; crashAt++) {
        const storage = memoryStorage({ maxOps: 128 })
        const kernel = await openOn(storage)
        const before = await keysOf(storage)
        await fill(kernel)
        await kernel.close()

        const failing = crashingStorage(storage, { crashAt, when })
        const doomed = await openOn(failing)
        const outcome = await (async () => {
          await doomed.namespaces.deleteNamespace({ name: 'team-a' })
          await tickUntilDone(doomed)
        })().catch((error: unknown) => error)
        if (outcome === undefined) break
        expect(failing.crashed).toBe(true)
        await doomed.close().catch((error: unknown) => expect(error).toBeInstanceOf(Crashed))

        const heir = await openOn(storage)
        const left = (await heir.namespaces.listNamespaces()).keys
        if (left.length > 0) await heir.namespaces.deleteNamespace({ name: 'team-a' })
        await heir.close()
        // Another process works only after the claims of the crashed process have expired.
        const clock = fakeClock(Date.UTC(2026, 0, 2))
        const later = await createKernel({ storage, seal: keySeal(KEY), clock })
        await later.tick()
        await clock.advance(31_000)
        await tickUntilDone(later)
        expect(await keysOf(storage)).toEqual(before)
        await later.close()
      }
    }
  })

  it('are created only once by concurrent calls with the same name', async () => {
    const storage = memoryStorage()
    // Retries after a conflict wait for the clock, so use the real one.
    const open = () => createKernel({ storage, seal: keySeal(KEY), initialize: true })
    const kernels = [await open(), await open()]
    const made = await Promise.all(
      Array.from({ length: 16 }, (_, i) => kernels[i % 2]!.namespaces.createNamespace({ name: 'team-a' })),
    )
    expect(new Set(made.map(({ uuid }) => uuid)).size).toBe(1)
    for (const kernel of kernels) await kernel.close()
  })

  it.each([
    ['sys', 400],
    ['a/b', 400],
    ['a b', 400],
    ['a+', 400],
    ['secret', 400],
    ['a.', 404],
    ['x'.repeat(600), 400],
  ])('cannot have the name %s', async (name, status) => {
    const kernel = await createDevKernel()
    await expect(kernel.namespaces.createNamespace({ name })).rejects.toMatchObject({ status })
    await kernel.close()
  })
})
