/**
 * Background work with a clock that jumps or is set back, and long work that must not block the event loop.
 */
import { describe, expect, it } from 'vitest'
import { completeStorage, createKernel, type Kernel, keySeal, memoryStorage, nobleCrypto, type Storage } from '../../src/index.ts'
import { fakeClock } from '../../src/testing/index.ts'
import { bytesOf, utf8 } from '../property/support.ts'
import { HOUR, MANY_VERSIONS } from './workload.ts'

const KEY = bytesOf(32, 51)
const openOn = (storage: Storage, more: object = {}): Promise<Kernel> =>
  createKernel({ storage, seal: keySeal(KEY), initialize: true, ...more })

describe('a tick', () => {
  it('reports the time of the next rotation, even after a rotation in the same tick', async () => {
    const clock = fakeClock()
    const kernel = await openOn(memoryStorage(), { clock })
    await kernel.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
    expect((await kernel.tick()).nextDueAt).toBe(clock.now() + HOUR)
    await clock.advance(HOUR)
    const rotated = await kernel.tick()
    expect(rotated).toMatchObject({ done: 1, more: false })
    expect(rotated.nextDueAt).toBe(clock.now() + HOUR)
    await kernel.close()
  })

  it('reports due work until all versions of a deleted key are removed', async () => {
    const clock = fakeClock()
    const storage = memoryStorage()
    const kernel = await openOn(storage, { clock })
    await kernel.transit.createKey({ name: 'k' })
    for (let version = 1; version < MANY_VERSIONS; version++) await kernel.transit.rotateKey({ name: 'k' })
    await kernel.transit.configureKey({ name: 'k', deletion_allowed: true })
    await kernel.transit.deleteKey({ name: 'k' })
    const left = async () => (await storage.list('r/')).filter((key) => key.includes('/material/')).length
    for (let round = 0; round < 10; round++) {
      const { more, nextDueAt } = await kernel.tick()
      if (!more && (nextDueAt === undefined || nextDueAt > clock.now())) break
    }
    expect(await left()).toBe(0)
    await kernel.close()
  })

  it('misses no rotation if the clock is set back while it runs', async () => {
    const clock = fakeClock()
    const inner = memoryStorage()
    let jump = false
    const storage: Storage = {
      ...inner,
      list: async (...args) => {
        const names = await inner.list(...args)
        if (jump && args[0].includes('rotation')) {
          jump = false
          clock.set(clock.now() - HOUR / 2)
        }
        return names
      },
    }
    const kernel = await openOn(storage, { clock })
    await kernel.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
    await clock.advance(HOUR)
    jump = true
    await kernel.tick()
    await clock.advance(HOUR)
    await kernel.tick()
    expect(await kernel.transit.readKey({ name: 'k' })).toMatchObject({ latest_version: 2 })
    await kernel.close()
  })

  it('rotates a key once although several rotation periods have passed', async () => {
    const clock = fakeClock()
    const kernel = await openOn(memoryStorage(), { clock })
    await kernel.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
    await clock.advance(HOUR * 50)
    await kernel.tick()
    await kernel.tick()
    expect(await kernel.transit.readKey({ name: 'k' })).toMatchObject({ latest_version: 2 })
    await kernel.close()
  })
})

describe('a kernel on a single-process storage whose reads are delayed', () => {
  it('returns no state from before a change that it has made', async () => {
    const inner = memoryStorage()
    let gate: Promise<void> | undefined
    let open: () => void = () => {}
    const held: string[] = []
    const storage = completeStorage({
      scan: (...args) => inner.scan(...args),
      commit: (...args) => inner.commit(...args),
      get: async (key) => {
        const entry = await inner.get(key)
        if (gate && key.endsWith('/ring/k')) {
          held.push(key)
          await gate
        }
        return entry
      },
    })
    const kernel = await openOn(storage, { cache: { records: 1 } })
    await kernel.transit.createKey({ name: 'k' })
    await kernel.transit.createKey({ name: 'other' })
    gate = new Promise((resolve) => {
      open = resolve
    })
    const late = kernel.transit.readKey({ name: 'k' })
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve))
    gate = undefined
    await kernel.transit.rotateKey({ name: 'k' })
    await kernel.transit.readKey({ name: 'other' })
    await kernel.transit.readKey({ name: 'other' })
    open()
    await late
    expect(await kernel.transit.readKey({ name: 'k' })).toMatchObject({ latest_version: 2 })
    await kernel.close()
  })
})

describe('an encryption or decryption', () => {
  const MANY = bytesOf(6_000_000, 1)
  const context = utf8('context')

  it.each([
    ['plaintext', { plaintext: MANY }],
    ['associated data', { plaintext: utf8('x'), associated_data: MANY }],
    ['plaintext under a convergent key', { plaintext: MANY, context }],
  ] as const)('lets the event loop run repeatedly if it has a large %s', async (_, item) => {
    let pauses = 0
    const clock = {
      now: () => 0,
      sleep: async () => {
        pauses++
        await new Promise((resolve) => setImmediate(resolve))
      },
    }
    // The platform does its part of the work off the event loop.
    const kernel = await openOn(memoryStorage(), { clock, crypto: nobleCrypto({ accelerate: false }) })
    const derived = 'context' in item
    await kernel.transit.createKey({ name: 'k', derived, convergent_encryption: derived })
    const { ciphertext } = await kernel.transit.encrypt({ name: 'k', ...item })
    expect(pauses).toBeGreaterThan(10)
    pauses = 0
    const { plaintext: _made, ...rest } = item
    await kernel.transit.decrypt({ name: 'k', ciphertext, ...rest })
    expect(pauses).toBeGreaterThan(10)
    await kernel.close()
  })
})
