/**
 * Concurrent callers: no update is lost, nothing is done twice, and no deleted key returns.
 */
import { describe, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../src/index.ts'
import { chaoticStorage, seededEntropy } from '../../src/testing/index.ts'
import { runs } from '../fixtures/runs.ts'
import { CHAOTIC, MEMORY } from '../fixtures/stores.ts'
import { bytesOf, utf8 } from '../property/support.ts'

const KEY = bytesOf(32, 5)
const ROUNDS = runs({ quick: 10, soak: 100 })

const openOn = (storage: Storage): Promise<Kernel> => createKernel({ storage, seal: keySeal(KEY), initialize: true })

/** Two kernels and their shared store, with or without unreliable connections. */
interface Pair {
  readonly name: string
  open(round: number): Promise<{ readonly a: Kernel; readonly b: Kernel; readonly inner: Storage }>
}

const PAIRS: readonly Pair[] = [
  {
    name: 'one kernel twice, in memory',
    open: async () => {
      const { storage } = await MEMORY.open()
      const kernel = await openOn(storage)
      return { a: kernel, b: kernel, inner: storage }
    },
  },
  {
    name: 'one kernel twice, on a storage that delays, reorders and repeats',
    open: async () => {
      const { storage } = await CHAOTIC.open()
      const kernel = await openOn(storage)
      return { a: kernel, b: kernel, inner: storage }
    },
  },
  {
    name: 'two kernels on one memory storage',
    open: async () => {
      const inner = memoryStorage()
      return { a: await openOn(inner), b: await openOn(inner), inner }
    },
  },
  {
    name: 'two kernels on one memory storage, each by an unreliable connection',
    open: async (round) => {
      const inner = memoryStorage()
      const line = (side: string) => chaoticStorage(inner, { entropy: seededEntropy(`${side} ${round}`) })
      return { a: await openOn(line('a')), b: await openOn(line('b')), inner }
    },
  },
]

const materialOf = async (storage: Storage): Promise<number> =>
  (await storage.scan('')).filter(({ key }) => key.split('/')[2] === 'material').length

describe.each(PAIRS)('$name', (pair) => {
  it('create two versions of a key in two concurrent rotations', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { a, b, inner } = await pair.open(round)
      await a.transit.createKey({ name: 'k' })
      const rotated = await Promise.all([a.transit.rotateKey({ name: 'k' }), b.transit.rotateKey({ name: 'k' })])
      expect(rotated.map(({ latest_version }) => latest_version).sort()).toEqual([2, 3])
      const fresh = await openOn(inner)
      expect(await fresh.transit.readKey({ name: 'k' })).toMatchObject({ latest_version: 3 })
      expect(await materialOf(inner)).toBe(3)
      await Promise.all([a.close(), b.close(), fresh.close()])
    }
  })

  it('create 50 versions of a key in 50 concurrent rotations, each of which decrypts its own ciphertexts', async () => {
    const { a, b, inner } = await pair.open(1000)
    await a.transit.createKey({ name: 'k' })
    const calls = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? a : b).transit.rotateKey({ name: 'k' }))
    const versions = (await Promise.all(calls)).map(({ latest_version }) => latest_version).sort((x, y) => x - y)
    expect(versions).toEqual(Array.from({ length: 50 }, (_, index) => index + 2))
    const fresh = await openOn(inner)
    for (const key_version of [1, 25, 51]) {
      const { ciphertext } = await fresh.transit.encrypt({ name: 'k', plaintext: utf8('x'), key_version })
      expect((await fresh.transit.decrypt({ name: 'k', ciphertext })).plaintext).toEqual(utf8('x'))
    }
    expect(await materialOf(inner)).toBe(51)
    await Promise.all([a.close(), b.close(), fresh.close()])
  })

  it('do not recreate a key by rotations concurrent with its deletion', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { a, b, inner } = await pair.open(round)
      await a.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
      await a.transit.configureKey({ name: 'k', deletion_allowed: true })
      const rotations = [b, a, b].map((kernel) => kernel.transit.rotateKey({ name: 'k' }))
      const deletion = a.transit.deleteKey({ name: 'k' })
      const outcomes = await Promise.allSettled([...rotations, b.transit.rotateKey({ name: 'k' })])
      await deletion
      for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ status: 400 })
      const fresh = await openOn(inner)
      await expect(fresh.transit.readKey({ name: 'k' })).rejects.toMatchObject({ status: 404 })
      expect(await fresh.transit.listKeys({})).toEqual({ keys: [] })
      expect(await materialOf(inner)).toBe(0)
      expect((await inner.list('r/due/')).length).toBe(0)
      await Promise.all([a.close(), b.close(), fresh.close()])
    }
  })

  it('create a missing key once in 64 concurrent encryptions, and decrypt all their ciphertexts', async () => {
    const { a, b, inner } = await pair.open(2000)
    const calls = Array.from({ length: 64 }, async (_, index) => {
      const plaintext = utf8(`number ${index}`)
      const { ciphertext } = await (index % 2 === 0 ? a : b).transit.encrypt({ name: 'upserted', plaintext })
      return { ciphertext, plaintext }
    })
    const made = await Promise.all(calls)
    const fresh = await openOn(inner)
    expect(await fresh.transit.readKey({ name: 'upserted' })).toMatchObject({ latest_version: 1 })
    expect(await materialOf(inner)).toBe(1)
    for (const kernel of [a, b, fresh]) {
      for (const { ciphertext, plaintext } of made) {
        expect((await kernel.transit.decrypt({ name: 'upserted', ciphertext })).plaintext).toEqual(plaintext)
      }
    }
    await Promise.all([a.close(), b.close(), fresh.close()])
  })
})

describe('concurrent initialization of a store', () => {
  it.each([
    ['in memory', () => memoryStorage()],
    ['by unreliable connections', () => chaoticStorage(memoryStorage(), { entropy: seededEntropy('init') })],
  ] as const)('by three kernels, %s, succeeds for all and creates one root token', async (_, make) => {
    for (let round = 0; round < ROUNDS; round++) {
      const storage = make()
      const kernels = await Promise.all([openOn(storage), openOn(storage), openOn(storage)])
      const tokens = kernels.map(({ rootToken }) => rootToken).filter((token) => token !== undefined)
      expect(tokens.length).toBe(1)
      const { ciphertext } = await kernels[0]!.transit.encrypt({ name: 'k', plaintext: utf8('x') })
      for (const kernel of kernels) {
        expect((await kernel.transit.decrypt({ name: 'k', ciphertext })).plaintext).toEqual(utf8('x'))
        const request = { method: 'GET', path: '/v1/transit/keys/k', headers: { 'X-Service-Token': tokens[0]! } }
        expect((await kernel.handle(request)).status).toBe(200)
      }
      await Promise.all(kernels.map((kernel) => kernel.close()))
    }
  })

  it('by two kernels with different seals is refused for the later one', async () => {
    const storage = memoryStorage()
    const other = createKernel({ storage, seal: keySeal(bytesOf(32, 6)), initialize: true })
    const outcomes = await Promise.allSettled([openOn(storage), other])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const refused = outcomes.find((outcome) => outcome.status === 'rejected')
    expect(refused?.reason).toMatchObject({ name: 'KernelError', code: 'ERR_SEALED' })
  })
})

describe('a tick', () => {
  it('rotates each due key once although ten ticks run concurrently', async () => {
    const start = Date.UTC(2026, 0, 1)
    let now = start
    const clock = { now: () => now, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) }
    const kernel = await createDevKernel({ clock })
    for (let index = 0; index < 20; index++) await kernel.transit.createKey({ name: `k${index}`, auto_rotate_period: '1h' })
    now += 3_600_000
    await Promise.all(Array.from({ length: 10 }, () => kernel.tick()))
    await kernel.tick()
    for (let index = 0; index < 20; index++) {
      expect(await kernel.transit.readKey({ name: `k${index}` })).toMatchObject({ latest_version: 2 })
    }
    await kernel.close()
  })
})
