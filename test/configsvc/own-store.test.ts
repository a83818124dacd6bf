import { expect, it } from 'vitest'
import { createConfigService } from '../../src/config-service.ts'
import { PLAIN_RECORDS } from '../../src/core/barrier/plain-records.ts'
import { dueKey } from '../../src/core/transaction/due-entry.ts'
import { CONFIGSVC } from '../../src/core/transaction/service-keyspaces.ts'
import { createKernel, keySeal, memoryStorage, type Storage, shamirSeal } from '../../src/index.ts'
import { fakeClock, faultyStorage } from '../../src/testing/index.ts'

const SEAL = keySeal(new Uint8Array(32).fill(3))
const OTHER = keySeal(new Uint8Array(32).fill(4))

const everything = async (storage: Storage): Promise<string> => {
  const entries = await storage.scan('', { limit: 10_000 })
  return entries.map(({ key, value }) => `${key} ${Buffer.from(value).toString('latin1')}`).join('\n')
}

it('createConfigService initializes an empty store and later opens it again, with a seal or unencrypted', async () => {
  for (const protection of [{ seal: SEAL }, { plaintext: true }] as const) {
    const storage = memoryStorage()
    {
      await using service = await createConfigService({ storage, ...protection })
      await service.policies.create({ Name: 'kept', Rules: 'key "somewhere" { policy = "read" }' })
    }
    const visible = (await everything(storage)).includes('somewhere')
    expect(visible).toBe('plaintext' in protection)
    await using again = await createConfigService({ storage, ...protection })
    expect(await again.policies.readByName({ Name: 'kept' })).toMatchObject({ ModifyIndex: 2 })
  }
})

it('createConfigService requires a seal or plaintext: true unless ACLs are disabled', async () => {
  const storage = memoryStorage()
  await using service = await createConfigService({ storage, acl: { enabled: false } })
  expect(await service.handle({ method: 'GET', path: '/v1/acl/policies' })).toMatchObject({ status: 200 })
  await expect(createConfigService({ storage: memoryStorage() })).rejects.toThrow('seal: required; set plaintext: true')
})

it('opening a store with another seal, or as a store of another kind, is refused and does not change the store', async () => {
  const [sealed, plain, ofKernel] = [memoryStorage(), memoryStorage(), memoryStorage()]
  await (await createConfigService({ storage: sealed, seal: SEAL })).close()
  await (await createConfigService({ storage: plain, plaintext: true })).close()
  await (await createKernel({ storage: ofKernel, seal: SEAL, initialize: true })).close()
  const before = await Promise.all([sealed, plain, ofKernel].map(everything))
  await expect(createConfigService({ storage: sealed, plaintext: true })).rejects.toThrow(/pass that seal instead of plaintext/)
  await expect(createConfigService({ storage: plain, seal: SEAL })).rejects.toThrow(/sealed with a seal of type plaintext/)
  await expect(createConfigService({ storage: sealed, seal: OTHER })).rejects.toMatchObject({ name: 'KernelError' })
  await expect(createConfigService({ storage: ofKernel, plaintext: true })).rejects.toThrow(/pass that seal/)
  await expect(createKernel({ storage: plain, seal: SEAL, initialize: true })).rejects.toThrow(/type plaintext/)
  expect(await Promise.all([sealed, plain, ofKernel].map(everything))).toEqual(before)
})

it('invalid options of createConfigService are rejected with a TypeError before anything is stored', async () => {
  const storage = memoryStorage()
  const right = { storage, seal: SEAL }
  for (const wrong of [
    undefined,
    7,
    { ...right, storage: {} },
    { ...right, seal: shamirSeal() },
    { ...right, plaintext: true },
    { storage, plaintext: false },
    { ...right, colour: 'red' },
    { ...right, acl: { defaultPolicy: 'maybe' } },
    { ...right, acl: { tokens: true } },
    { ...right, naming: { headerPrefix: '' } },
    { ...right, ports: { tokenReviewer: {} } },
  ] as never[])
    await expect(createConfigService(wrong)).rejects.toThrow(TypeError)
  expect(await everything(storage)).toBe('')
})

it('several processes that open the same empty store initialize it once', async () => {
  for (const protection of [{ seal: SEAL }, { plaintext: true }] as const) {
    const storage = memoryStorage()
    const services = await Promise.all(Array.from({ length: 8 }, () => createConfigService({ storage, ...protection })))
    const made = await Promise.all(services.map((service, at) => service.policies.create({ Name: `p${at}` })))
    expect(new Set(made.map(({ CreateIndex }) => CreateIndex)).size).toBe(8)
    for (const service of services) expect(await service.policies.list()).toHaveLength(10)
    await Promise.all(services.map((service) => service.close()))
  }
})

it('opening a store again completes its initialization after a failure at any storage call', async () => {
  for (const protection of [{ seal: SEAL }, { plaintext: true }] as const)
    for (const fault of ['error', 'lost before', 'lost after'] as const)
      for (let at = 1, calls = at; at <= calls; at++) {
        const inner = memoryStorage()
        const storage = faultyStorage(inner, ({ n }) => (n === at ? fault : undefined))
        const opened = await createConfigService({ storage, ...protection }).catch(() => undefined)
        await opened?.close()
        calls = Math.max(calls, storage.calls.length)
        await using service = await createConfigService({ storage: inner, ...protection })
        expect(await service.policies.list()).toHaveLength(2)
      }
})

it('close() can be called twice, makes later calls fail, and leaves the storage open', async () => {
  const storage = memoryStorage()
  const service = await createConfigService({ storage, plaintext: true, clock: fakeClock() })
  await Promise.all([service.close(), service.close()])
  await expect(service.policies.list()).rejects.toThrow(TypeError)
  await expect(service.tick()).rejects.toThrow(TypeError)
  expect(await service.handle({ method: 'GET', path: '/v1/acl/policies' })).toMatchObject({ status: 503 })
  expect(await storage.list('')).not.toEqual([])
})

it('inspecting a service object does not show its bootstrap token', async () => {
  const token = 'b3f5a2c4-0d1e-4f6a-8b7c-9d0e1f2a3b4c'
  await using service = await createConfigService({ storage: memoryStorage(), seal: SEAL, acl: { bootstrapToken: token } })
  const { inspect } = await import('node:util')
  expect(inspect(service, { depth: 10, showHidden: true })).not.toContain(token)
  expect(JSON.stringify(service)).not.toContain(token)
})

it('due work of unknown types is left in the store for a newer release', async () => {
  const [storage, clock] = [memoryStorage(), fakeClock()]
  await using service = await createConfigService({ storage, plaintext: true, clock })
  for (const [at, [lane, id]] of (
    [
      ['housekeeping', 'later/1'],
      ['housekeeping', 'constructor'],
      ['rotation', 'x'],
    ] as const
  ).entries())
    await storage.commit(
      [{ op: 'put', key: dueKey('l', lane, clock.now(), CONFIGSVC, id), value: PLAIN_RECORDS.encode('', new Uint8Array([1])) }],
      `id-${at}`,
    )
  const { failed, nextDueAt } = await service.tick()
  expect({ failed, nextDueAt }).toEqual({ failed: [], nextDueAt: clock.now() + 3_600_000 })
  expect(await storage.list('l/due/')).toHaveLength(3)
})
