/**
 * Covers the values that users see, the number of writes, and crashes, which must never lower the count.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { composeKernel } from '../../src/compose-kernel.ts'
import { withFormat } from '../../src/core/contract/record-kind.ts'
import { counterId } from '../../src/core/transaction/counter.ts'
import { ENCRYPTIONS } from '../../src/engines/transit/encryptions.ts'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../src/index.ts'
import { crashingStorage, fakeClock, seededEntropy } from '../../src/testing/index.ts'
import { ENGINES, SYSTEM } from '../fixtures/all-engines.ts'
import { ALL_STORES } from '../fixtures/stores.ts'

const KEY = seededEntropy('counter').bytes(32)
const text = (n: number) => new TextEncoder().encode(`text ${n}`)
const LIMIT = 2 ** 32

const open = (storage: Storage): Promise<Kernel> => createKernel({ storage, seal: keySeal(KEY), initialize: true })

const shown = async (kernel: Kernel, name: string) => (await kernel.transit.readKey({ name })).encryptions

async function encryptMany(kernel: Kernel, name: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await kernel.transit.encrypt({ name, plaintext: text(n) })
}

function encryptBatch(kernel: Kernel, name: string, count: number, more: object = {}) {
  return kernel.transit.encryptBatch({
    name,
    batch_input: Array.from({ length: count }, (_, n) => ({ plaintext: text(n), ...more })),
  })
}

/** Counts commits, because a call that waits for one is slow. */
function counting(inner: Storage): Storage & { commits: number } {
  const storage = { ...inner, commits: 0 } as Storage & { commits: number }
  storage.commit = (ops, id) => {
    storage.commits++
    return inner.commit(ops, id)
  }
  return storage
}

describe.each(ALL_STORES)('the encryption counter of a key on $name', (store) => {
  let drop: () => Promise<void>
  afterEach(() => drop())

  it('has the exact value while a kernel is open and after it was closed', async () => {
    const opened = await store.open()
    drop = opened.drop
    const first = await open(opened.storage)
    await first.transit.createKey({ name: 'k' })
    expect(await shown(first, 'k')).toEqual({ 1: 0 })
    await encryptMany(first, 'k', 30)
    const { ciphertext } = await first.transit.encrypt({ name: 'k', plaintext: text(0) })
    await encryptBatch(first, 'k', 3000)
    expect(await shown(first, 'k')).toEqual({ 1: 3031 })
    await first.transit.rotateKey({ name: 'k' })
    await first.transit.rewrap({ name: 'k', ciphertext })
    await first.transit.decrypt({ name: 'k', ciphertext })
    expect(await shown(first, 'k')).toEqual({ 1: 3031, 2: 1 })
    await first.close()

    const second = await open(opened.storage)
    expect(await shown(second, 'k')).toEqual({ 1: 3031, 2: 1 })
    await encryptMany(second, 'k', 5)
    expect(await shown(second, 'k')).toEqual({ 1: 3031, 2: 6 })
    await second.close()
  })
})

describe('the encryption counter of a key', () => {
  it('includes the encryptions of the call that creates the key', async () => {
    const storage = memoryStorage()
    const kernel = await open(storage)
    await encryptMany(kernel, 'one', 1)
    await encryptBatch(kernel, 'many', 5000)
    expect([await shown(kernel, 'one'), await shown(kernel, 'many')]).toEqual([{ 1: 1 }, { 1: 5000 }])
    await kernel.close()
    const again = await open(storage)
    expect([await shown(again, 'one'), await shown(again, 'many')]).toEqual([{ 1: 1 }, { 1: 5000 }])
    await again.close()
  })

  it('counts each concurrent call once', async () => {
    const kernel = await open(memoryStorage())
    await kernel.transit.createKey({ name: 'k' })
    const calls = Array.from({ length: 4000 }, (_, n) => kernel.transit.encrypt({ name: 'k', plaintext: text(n) }))
    await Promise.all([...calls, encryptBatch(kernel, 'k', 2500), encryptBatch(kernel, 'k', 2500)])
    expect(await shown(kernel, 'k')).toEqual({ 1: 9000 })
    await kernel.close()
  })

  it('costs at most one store write per thousand calls, and fewer as the count grows', async () => {
    const storage = counting(memoryStorage())
    const kernel = await open(storage)
    await kernel.transit.createKey({ name: 'k' })
    const before = storage.commits
    await encryptMany(kernel, 'k', 10_000)
    expect(storage.commits - before).toBeLessThanOrEqual(6)
    await kernel.close()
  })

  it('includes encryptions of several kernels on one store, and is exact once they are closed', async () => {
    const storage = memoryStorage()
    const kernels = await Promise.all([open(storage), open(storage), open(storage)])
    await kernels[0].transit.createKey({ name: 'k' })
    await Promise.all(kernels.map((kernel, n) => encryptMany(kernel, 'k', 1000 + n)))
    for (const kernel of kernels) expect((await shown(kernel, 'k'))?.['1']).toBeGreaterThanOrEqual(3003)
    for (const kernel of kernels) await kernel.close()
    const last = await open(storage)
    expect(await shown(last, 'k')).toEqual({ 1: 3003 })
    await last.close()
  })

  it('includes encryptions with derived keys, but not those with deterministic or 192-bit nonces', async () => {
    const kernel = await open(memoryStorage())
    const context = text(1)
    await kernel.transit.createKey({ name: 'derived', derived: true })
    await kernel.transit.createKey({ name: 'convergent', derived: true, convergent_encryption: true })
    await kernel.transit.createKey({ name: 'long', type: 'xchacha20-poly1305' })
    await kernel.transit.createKey({ name: 'chacha', type: 'chacha20-poly1305' })
    for (const name of ['derived', 'convergent', 'long', 'chacha'])
      await kernel.transit.encrypt({ name, plaintext: text(0), context })
    expect(await shown(kernel, 'derived')).toEqual({ 1: 1 })
    expect(await shown(kernel, 'chacha')).toEqual({ 1: 1 })
    expect(await shown(kernel, 'convergent')).toBeUndefined()
    expect(await shown(kernel, 'long')).toBeUndefined()
    await kernel.close()
  })

  it('does not include refused calls', async () => {
    const kernel = await open(memoryStorage())
    await kernel.transit.createKey({ name: 'k' })
    await expect(kernel.transit.encrypt({ name: 'k', plaintext: text(0), key_version: 2 })).rejects.toMatchObject({ status: 400 })
    await expect(kernel.transit.rewrap({ name: 'k', ciphertext: 'strongroom:v1:%' })).rejects.toMatchObject({ status: 400 })
    expect(await shown(kernel, 'k')).toEqual({ 1: 0 })
    await kernel.close()
  })

  it('is exact, without extra store writes, even if keys are evicted from the cache and loaded again', async () => {
    const storage = counting(memoryStorage())
    const kernel = await createKernel({ storage, seal: keySeal(KEY), initialize: true, cache: { keys: 2 } })
    const names = Array.from({ length: 8 }, (_, n) => `k${n}`)
    for (const name of names) await kernel.transit.createKey({ name })
    const before = storage.commits
    for (let round = 0; round < 20; round++) for (const name of names) await encryptMany(kernel, name, 1)
    expect(storage.commits - before).toBe(names.length)
    for (const name of names) expect(await shown(kernel, name)).toEqual({ 1: 20 })
    await kernel.close()
  })

  it('lets encryptions continue during a storage outage only as long as reserved counts last', async () => {
    const inner = memoryStorage()
    let away = false
    const storage: Storage = {
      ...inner,
      commit: async (ops, id) => {
        if (away) throw new Error('the store is away')
        return inner.commit(ops, id)
      },
    }
    const kernel = await open(storage)
    await encryptMany(kernel, 'k', 10)
    away = true
    await encryptMany(kernel, 'k', 1014)
    const refused = kernel.transit.encrypt({ name: 'k', plaintext: text(0) })
    await expect(refused).rejects.toMatchObject({ status: 503, code: 'ERR_UNAVAILABLE' })
    away = false
    await encryptMany(kernel, 'k', 3000)
    expect(await shown(kernel, 'k')).toEqual({ 1: 4024 })
    away = true
    // The unused reservation cannot be returned, so it counts as used.
    await encryptMany(kernel, 'k', 1)
    await kernel.close()
    away = false
    const next = await open(storage)
    expect((await shown(next, 'k'))?.['1']).toBeGreaterThan(4025)
    await next.close()
  })

  it('keeps its value when the kernel is sealed and unsealed', async () => {
    const kernel = await open(memoryStorage())
    await encryptMany(kernel, 'k', 7)
    await kernel.seal.seal()
    await kernel.seal.unseal()
    await encryptMany(kernel, 'k', 7)
    expect(await shown(kernel, 'k')).toEqual({ 1: 14 })
    await kernel.close()
  })

  it('is deleted with its key, and starts at zero for a new key of the same name', async () => {
    const storage = memoryStorage()
    const kernel = await open(storage)
    await encryptMany(kernel, 'k', 3)
    await kernel.transit.configureKey({ name: 'k', deletion_allowed: true })
    await kernel.transit.deleteKey({ name: 'k' })
    const left = (await storage.scan('l/')).filter(({ key }) => key.includes('/encryptions/'))
    expect(left).toEqual([])
    await encryptMany(kernel, 'k', 1)
    expect(await shown(kernel, 'k')).toEqual({ 1: 1 })
    await kernel.close()
  })
})

/** Opens a kernel whose key `k` has already made `count` encryptions. */
async function worn(count: number): Promise<Kernel> {
  const storage = memoryStorage()
  const first = await open(storage)
  await first.transit.createKey({ name: 'k' })
  await first.close()
  const { kernel, internals } = await composeKernel({ storage, seal: keySeal(KEY) }, ENGINES, SYSTEM, [])
  const [material] = (await storage.scan('r/')).filter(({ key }) => key.includes('/material/'))
  const [, mount, , ring] = material!.key.split('/')
  const key = `l/${mount}/${ENCRYPTIONS.record.folder}/${counterId(ring!, 1)}`
  const value = withFormat(ENCRYPTIONS.record.format, ENCRYPTIONS.record.encode({ count }))
  await storage.commit([internals.host.store.encryptedPut(key, value, undefined)], 'worn')
  return kernel
}

describe('the limit of 2^32 encryptions per key version', () => {
  it('causes a warning once seven eighths of it are used', async () => {
    const kernel = await worn((LIMIT / 8) * 7 - 2)
    const warnings = async () => (await kernel.transit.encrypt({ name: 'k', plaintext: text(0) })).warnings ?? []
    expect([await warnings(), await warnings()]).toEqual([[], [expect.stringContaining('2^32')]])
    const { warnings: ofBatch } = await encryptBatch(kernel, 'k', 3)
    expect(ofBatch).toEqual([expect.stringContaining('rotate')])
    await kernel.close()
  })

  it('is never exceeded by single calls or batch items', async () => {
    const kernel = await worn(LIMIT - 5)
    await encryptMany(kernel, 'k', 2)
    const { batch_results } = await encryptBatch(kernel, 'k', 5)
    expect(batch_results.map(({ error }) => error?.status)).toEqual([undefined, undefined, undefined, 400, 400])
    await expect(kernel.transit.encrypt({ name: 'k', plaintext: text(0) })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('2^32'),
    })
    expect(await shown(kernel, 'k')).toEqual({ 1: LIMIT })
    await kernel.transit.rotateKey({ name: 'k' })
    await encryptMany(kernel, 'k', 1)
    await kernel.close()
  })

  it('does not prevent decryption', async () => {
    const kernel = await worn(LIMIT - 1)
    const { ciphertext } = await kernel.transit.encrypt({ name: 'k', plaintext: text(4) })
    expect((await kernel.transit.decrypt({ name: 'k', ciphertext })).plaintext).toEqual(text(4))
    await expect(kernel.transit.rewrap({ name: 'k', ciphertext })).rejects.toMatchObject({ status: 400 })
    await kernel.close()
  })
})

describe('the encryption counter of a key after a crash', () => {
  const work = async (kernel: Kernel, made: Record<string, number>) => {
    const note = (name: string, n: number) => {
      made[name] = (made[name] ?? 0) + n
    }
    await kernel.transit.createKey({ name: 'k' })
    for (let n = 0; n < 1600; n++) {
      await kernel.transit.encrypt({ name: 'k', plaintext: text(n) })
      note('k', 1)
    }
    for (const [name, count] of [
      ['upserted', 1],
      ['batched', 1500],
      ['k', 3000],
      ['batched', 3000],
    ] as const) {
      await encryptBatch(kernel, name, count)
      note(name, count)
    }
    await kernel.close()
  }

  it.each(['before', 'after'] as const)(
    'is not lower than the number of encryptions that were made, if the process died %s any commit took effect',
    async (when) => {
      const clock = fakeClock()
      const openOn = (storage: Storage, seed: string) =>
        createKernel({ storage, clock, seal: keySeal(KEY), initialize: true, entropy: seededEntropy(seed) })
      const reference = crashingStorage(memoryStorage())
      const opened = await openOn(reference, 'reference')
      const first = reference.commits + 1
      await work(opened, {})
      expect(reference.commits).toBeGreaterThan(first + 4)
      for (let crashAt = first; crashAt <= reference.commits; crashAt++) {
        const inner = memoryStorage()
        const made: Record<string, number> = {}
        const storage = crashingStorage(inner, { crashAt, when })
        const kernel = await openOn(storage, `crash ${crashAt}`)
        await work(kernel, made).catch(() => {})
        const next = await openOn(inner, `next ${crashAt}`)
        for (const [name, count] of Object.entries(made)) {
          const found = (await shown(next, name))?.['1'] ?? 0
          expect(found, `${name} after a crash ${when} commit ${crashAt}`).toBeGreaterThanOrEqual(count)
          expect(found).toBeLessThan(count + 2 ** 14)
        }
        await next.close()
      }
    },
  )
})

describe('reserving encryptions', () => {
  it('conflicts with a deletion of the key, so no counter remains for a deleted key', async () => {
    const inner = memoryStorage()
    const first = await open(inner)
    await first.transit.createKey({ name: 'k' })
    await first.transit.configureKey({ name: 'k', deletion_allowed: true })
    await first.close()

    let kernel: Kernel | undefined
    const isReservation = (key: string): boolean => key.startsWith('l/') && key.includes(`/${ENCRYPTIONS.record.folder}/`)
    // Another request deletes the key after the reservation has read it and before its commit is written.
    const storage: Storage = {
      ...inner,
      async commit(ops, id) {
        const opened = kernel
        if (opened && ops.some((op) => op.op === 'put' && isReservation(op.key))) {
          kernel = undefined
          await opened.transit.deleteKey({ name: 'k' })
        }
        return inner.commit(ops, id)
      },
    }
    await using opened = await open(storage)
    await opened.transit.configureKeys({ disable_upsert: true })
    kernel = opened
    await expect(opened.transit.encrypt({ name: 'k', plaintext: text(1) })).rejects.toMatchObject({ status: 400 })
    expect(kernel).toBeUndefined()
    expect((await inner.list('')).filter(isReservation)).toEqual([])
  })
})
