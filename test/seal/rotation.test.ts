/**
 * Rotation of the barrier key: on demand, after a time and after a number of encryptions, and the re-encryption of all records with the new
 * key.
 */
import { describe, expect, it } from 'vitest'
import { composeKernel } from '../../src/compose-kernel.ts'
import { withFormat } from '../../src/core/contract/record-kind.ts'
import { BARRIER_ENCRYPTIONS, IN_USE } from '../../src/core/seal/rotation.ts'
import { coreRecordKey } from '../../src/core/transaction/core-key.ts'
import { keySeal, memoryStorage, type ReencryptProgress, type Storage } from '../../src/index.ts'
import { ENGINES, FRESH_MOUNTS, SYSTEM } from '../fixtures/all-engines.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { ALL_STORES } from '../fixtures/stores.ts'
import { refusalOf } from '../property/support.ts'
import { fill, K1, openWith, termsIn } from './support.ts'

const DAY = 86_400_000

const termsOf = async (storage: Storage) => [...(await termsIn(storage)).keys()].sort()

const IGNORED = 'i/claim/'

async function open(storage: Storage = memoryStorage()) {
  const clock = movingClock()
  const options = { storage, clock, seal: keySeal(K1), initialize: true }
  const { kernel, internals } = await composeKernel(options, ENGINES, SYSTEM, FRESH_MOUNTS)
  return { storage, clock, kernel, internals, term: async () => (await kernel.seal.readKeyStatus()).term }
}

describe('automatic rotation of the barrier key', () => {
  it('counts at least as many encryptions as were made, across restarts and several processes', async () => {
    const { storage, kernel } = await open()
    const first = await kernel.seal.readKeyStatus()
    expect(first.term).toBe(1)
    for (let n = 0; n < 50; n++) await kernel.kv.writeSecret({ path: `${n}`, data: { n } })
    const { encryptions, install_time } = await kernel.seal.readKeyStatus()
    expect(encryptions).toBeGreaterThanOrEqual(first.encryptions + 50)
    await kernel.close()
    const next = await openWith(storage, keySeal(K1))
    const after = await next.seal.readKeyStatus()
    expect(after).toMatchObject({ term: 1, install_time })
    expect(after.encryptions).toBeGreaterThanOrEqual(encryptions)
    await next.seal.rotate()
    const fresh = await next.seal.readKeyStatus()
    expect(fresh.term).toBe(2)
    expect(fresh.encryptions).toBeLessThan(5)
    await next.close()
  })

  it('happens once when the key has reached its maximum age, however late the tick is', async () => {
    const { kernel, clock, term } = await open()
    clock.advance(DAY)
    await kernel.tick()
    expect(await term()).toBe(1)
    await kernel.seal.configureRotation({ interval: '48h' })
    await kernel.tick()
    expect(await term()).toBe(1)
    clock.advance(DAY)
    expect((await kernel.tick()).failed).toEqual([])
    expect(await term()).toBe(2)
    clock.advance(20 * DAY)
    await kernel.tick()
    await kernel.tick()
    expect(await term()).toBe(3)
    clock.advance(DAY)
    await kernel.seal.rotate()
    clock.advance(DAY)
    await kernel.tick()
    expect(await term()).toBe(4)
    clock.advance(DAY)
    await kernel.tick()
    expect(await term()).toBe(5)
    await kernel.seal.configureRotation({ enabled: false })
    clock.advance(9 * DAY)
    await kernel.tick()
    expect(await term()).toBe(5)
    await kernel.seal.configureRotation({ enabled: true, interval: 0 })
    clock.advance(9 * DAY)
    await kernel.tick()
    expect(await term()).toBe(5)
    await kernel.close()
  })

  it.each([
    [true, 2],
    [false, 1],
  ])('happens after max_operations encryptions, if it is enabled: %s', async (enabled, expected) => {
    const { kernel, clock, internals, storage, term } = await open()
    await kernel.seal.configureRotation({ max_operations: 1_000_000, enabled })
    const key = coreRecordKey(BARRIER_ENCRYPTIONS, IN_USE)
    const worn = withFormat(BARRIER_ENCRYPTIONS.format, BARRIER_ENCRYPTIONS.encode({ term: 1, count: 1_000_000 }))
    await storage.commit([internals.host.store.encryptedPut(key, worn, undefined)], 'worn')
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    await kernel.tick()
    expect(await term()).toBe(1)
    clock.advance(600_000)
    expect((await kernel.tick()).failed).toEqual([])
    expect(await term()).toBe(expected)
    expect((await kernel.kv.readSecret({ path: 'a' })).data).toEqual({ a: 1 })
    await kernel.close()
  })

  it('keeps all its settings unchanged if one of the new settings is invalid', async () => {
    const { kernel } = await open()
    await kernel.seal.configureRotation({ max_operations: 2_000_000, interval: 86_400 })
    const before = await kernel.seal.readRotationConfig()
    expect(before).toEqual({ enabled: true, max_operations: 2_000_000, interval: 86_400 })
    for (const wrong of [
      { max_operations: 999_999 },
      { max_operations: 3_865_470_567 },
      { interval: 86_399 },
      { interval: 2 ** 52 },
      { interval: -1 },
    ])
      expect(await refusalOf(kernel.seal.configureRotation({ enabled: false, ...wrong }))).toMatchObject({ status: 400 })
    expect(await kernel.seal.readRotationConfig()).toEqual(before)
    await kernel.close()
  })
})

describe.each(ALL_STORES)('re-encryption of all records on $name', (store) => {
  it('leaves no record under a former barrier key, even while requests continue', async () => {
    const { storage, drop } = await store.open()
    const kernel = await openWith(storage, keySeal(K1), { initialize: true })
    const kept = await fill(kernel, 200)
    await kernel.seal.rotate()
    await kernel.kv.writeSecret({ path: 'of two', data: { a: 2 } })
    await kernel.seal.rotate()
    const reports: ReencryptProgress[] = []
    let busy = true
    const writing = (async () => {
      for (let n = 0; busy; n = (n + 7) % 200) {
        await kernel.kv.writeSecret({ path: `kept/${n}`, data: { n } })
        await kernel.transit.encrypt({ name: 'kept', plaintext: new Uint8Array(8) })
        // On a store in memory, no other work would get a turn otherwise.
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    const done = await kernel.seal.reencrypt({ onProgress: (progress) => reports.push(progress) })
    busy = false
    await writing
    expect(await termsOf(storage)).toEqual([3])
    expect(done.failed).toBe(0)
    expect(done.done).toBeGreaterThan(200)
    expect(done.total).toBeGreaterThanOrEqual(done.done)
    expect(reports.at(-1)).toEqual(done)
    for (const [index, progress] of reports.entries()) expect(progress.done).toBeGreaterThanOrEqual(reports[index - 1]?.done ?? 0)
    await kept.check(kernel)
    expect((await kernel.seal.reencrypt()).reencrypted).toBe(0)
    await kernel.close()
    const next = await openWith(storage, keySeal(K1))
    await kept.check(next)
    await next.close()
    await drop()
  })
})

describe('re-encryption of all records', () => {
  it('stops when its signal is aborted, and continues at that position when called again', async () => {
    const { kernel, storage } = await open()
    await fill(kernel, 400)
    await kernel.seal.rotate()
    const end = new AbortController()
    let at: ReencryptProgress | undefined
    const onProgress = (progress: ReencryptProgress) => {
      at = progress
      if (progress.reencrypted > 100) end.abort(new Error('enough'))
    }
    await expect(kernel.seal.reencrypt({ signal: end.signal, onProgress })).rejects.toThrow('enough')
    expect(await termsOf(storage)).toEqual([1, 2])
    await kernel.close()
    const next = await openWith(storage, keySeal(K1))
    const reports: ReencryptProgress[] = []
    const done = await next.seal.reencrypt({ onProgress: (progress) => reports.push(progress) })
    expect(reports[0]?.done).toBeGreaterThan(at?.done as number)
    expect(done.reencrypted).toBeGreaterThan(at?.reencrypted as number)
    expect(await termsOf(storage)).toEqual([2])
    await next.close()
  })

  it('starts again from the beginning after another rotation', async () => {
    const { kernel, storage } = await open()
    await fill(kernel, 300)
    await kernel.seal.rotate()
    let calls = 0
    const stop = () => {
      if (++calls === 2) throw new Error('thrown')
    }
    await expect(kernel.seal.reencrypt({ onProgress: stop })).rejects.toThrow('thrown')
    await kernel.seal.rotate()
    await kernel.seal.reencrypt()
    expect(await termsOf(storage)).toEqual([3])
    await kernel.close()
  })

  it('counts and does not change records that cannot be decrypted', async () => {
    const { kernel, storage } = await open()
    const kept = await fill(kernel, 3)
    const [entry] = (await storage.scan('r/')).filter(({ key }) => key.endsWith('/secret/kept/1'))
    const value = entry!.value.slice()
    value[value.length - 1]! ^= 1
    await storage.commit([{ op: 'put', key: entry!.key, value }], 'damaged')
    await kernel.seal.rotate()
    expect((await kernel.seal.reencrypt()).failed).toBe(1)
    expect((await storage.get(entry!.key))?.value).toEqual(value)
    await storage.commit([{ op: 'put', key: entry!.key, value: entry!.value }], 'mended')
    await kept.check(kernel)
    await kernel.close()
  })

  it('stops when the kernel is sealed, and is refused while the kernel is sealed', async () => {
    const { kernel, storage } = await open()
    await fill(kernel, 300)
    await kernel.seal.rotate()
    let sealing: Promise<void> | undefined
    const onProgress = () => {
      sealing ??= kernel.seal.seal()
    }
    const work = kernel.seal.reencrypt({ onProgress })
    expect(await refusalOf(work)).toMatchObject({ code: 'ERR_SEALED' })
    await sealing
    expect(await refusalOf(kernel.seal.reencrypt())).toMatchObject({ code: 'ERR_SEALED' })
    await kernel.seal.unseal()
    await kernel.seal.reencrypt()
    const left = [...(await termsIn(storage))].filter(([term]) => term !== 2).flatMap(([, keys]) => keys)
    expect(left.filter((key) => !key.startsWith(IGNORED))).toEqual([])
    await kernel.close()
  })
})
