import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import {
  type CopyProgress,
  copyStorage,
  createKernel,
  keySeal,
  memoryStorage,
  type Op,
  type Storage,
} from '../../../src/index.ts'
import { chaoticStorage, seededEntropy } from '../../../src/testing/index.ts'
import { interrupting } from '../../fixtures/interrupting-storage.ts'
import { movingClock } from '../../fixtures/moving-clock.ts'
import { bytesOf, utf8 } from '../../property/support.ts'

const KEY = bytesOf(32, 51)
const put = (key: string, value: Uint8Array = utf8(key)): Op => ({ op: 'put', key, value })
const contents = async (storage: Storage) =>
  (await storage.scan('')).map(({ key, value }) => [key, Buffer.from(value).toString('hex')])

const cleanUp: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const drop of cleanUp.splice(0)) await drop()
})

const lmdb = async (): Promise<Storage> => {
  const path = await mkdtemp(join(tmpdir(), 'strongroom-'))
  const storage = lmdbStorage({ path })
  cleanUp.push(async () => {
    await storage.close()
    await rm(path, { recursive: true, force: true })
  })
  return storage
}

/** Creates a kernel's store with several kinds of records, and returns what is needed to check it. */
async function usedStore(storage: Storage): Promise<{ readonly ciphertext: string; readonly rootToken: string }> {
  const kernel = await createKernel({ storage, seal: keySeal(KEY), initialize: true })
  await kernel.transit.createKey({ name: 'orders', auto_rotate_period: '1h' })
  const { ciphertext } = await kernel.transit.encrypt({ name: 'orders', plaintext: utf8('moved') })
  for (let n = 0; n < 40; n++) await kernel.kv.writeSecret({ path: `app/${n}`, data: { n } })
  await kernel.close()
  return { ciphertext, rootToken: kernel.rootToken! }
}

async function readsAll(storage: Storage, { ciphertext, rootToken }: Awaited<ReturnType<typeof usedStore>>): Promise<void> {
  const kernel = await createKernel({ storage, seal: keySeal(KEY) })
  expect((await kernel.transit.decrypt({ name: 'orders', ciphertext })).plaintext).toEqual(utf8('moved'))
  for (let n = 0; n < 40; n++) expect((await kernel.kv.readSecret({ path: `app/${n}` })).data).toEqual({ n })
  const headers = { 'X-Service-Token': rootToken }
  expect((await kernel.handle({ method: 'GET', path: '/v1/auth/token/lookup-self', headers })).status).toBe(200)
  await kernel.kv.writeSecret({ path: 'after', data: { moved: true } })
  await kernel.close()
}

describe('copyStorage', () => {
  it('copies a store from memory to LMDB and back, so that kernels open both copies', async () => {
    const [first, second, third] = [memoryStorage(), await lmdb(), memoryStorage({ maxOps: 128 })]
    const used = await usedStore(first)
    const before = await contents(first)
    const progress: CopyProgress[] = []
    const result = await copyStorage(first, second, { onProgress: (step) => void progress.push(step) })
    expect(result).toEqual({ records: before.length, bytes: expect.any(Number), changed: before.length })
    expect(progress.map(({ phase }) => phase)).toEqual(expect.arrayContaining(['copy', 'verify']))
    expect(progress.at(-1)).toMatchObject({ phase: 'verify', records: before.length - 1, done: 2 * (before.length - 1) })
    expect(await contents(second)).toEqual(before)
    await copyStorage(second, third)
    expect(await contents(third)).toEqual(before)
    await readsAll(second, used)
    await readsAll(third, used)
  })

  it('completes a copy that was interrupted at any call, and no kernel opens the copy before it is complete', async () => {
    const source = memoryStorage()
    const used = await usedStore(source)
    const whole = await contents(source)
    const counting = interrupting()
    await copyStorage(counting.wrap(source), counting.wrap(memoryStorage({ maxOps: 16 })))
    expect(counting.calls).toBeGreaterThan(10)
    for (const when of ['before', 'after'] as const) {
      for (let at = 1; at <= counting.calls; at++) {
        const target = memoryStorage({ maxOps: 16 })
        const dying = interrupting(at, when)
        await expect(copyStorage(dying.wrap(source), dying.wrap(target))).rejects.toThrow('call')
        const held = await contents(target)
        if (held.length > 0 && held.length < whole.length) {
          await expect(createKernel({ storage: target, seal: keySeal(KEY), initialize: true })).rejects.toThrow(
            'the store is an unfinished copy',
          )
        }
        const { changed, records } = await copyStorage(source, target)
        expect(records).toBe(whole.length)
        expect(changed).toBeLessThanOrEqual(whole.length - Math.max(0, held.length - 1))
        expect(await contents(target)).toEqual(whole)
        if (at % 7 === 0) await readsAll(target, used)
      }
    }
  })

  it('rejects with the reason of an aborted signal, and continues the copy when called again', async () => {
    const source = memoryStorage()
    for (let n = 0; n < 1000; n++) await source.commit([put(`key/${n}`)], `${n}`)
    const target = memoryStorage()
    const abort = new AbortController()
    const reason = new Error('enough')
    const onProgress = ({ records }: CopyProgress): void => (records > 500 ? abort.abort(reason) : undefined)
    await expect(copyStorage(source, target, { signal: abort.signal, onProgress })).rejects.toBe(reason)
    expect((await target.list('key/')).length).toBeLessThan(1000)
    expect((await copyStorage(source, target)).changed).toBeLessThan(1000)
    expect(await contents(target)).toEqual(await contents(source))
  })

  it('refuses a target that is not empty, unless its contents equal those of the source', async () => {
    const source = memoryStorage()
    await source.commit([put('a'), put('b')], '1')
    const target = memoryStorage()
    await target.commit([put('a')], '1')
    await expect(copyStorage(source, target)).rejects.toThrow('to: must be empty')
    expect(await contents(target)).toEqual([['a', '61']])
    await target.commit([put('b')], '2')
    expect(await copyStorage(source, target)).toEqual({ records: 2, bytes: 2, changed: 0 })
    await target.commit([put('c')], '3')
    await expect(copyStorage(source, target)).rejects.toThrow('to: must be empty')
  })

  it('refuses a source that is an incomplete copy, or that is the target itself', async () => {
    const source = memoryStorage()
    await source.commit([put('a'), put('b')], '1')
    const half = memoryStorage()
    const dying = interrupting(6)
    await expect(copyStorage(source, dying.wrap(half))).rejects.toThrow('call')
    await expect(copyStorage(half, memoryStorage())).rejects.toThrow('is an unfinished copy')
    await expect(copyStorage(source, source)).rejects.toThrow(TypeError)
  })

  it('fails if the source is written to without a pause, and leaves the copy marked as incomplete', async () => {
    const source = memoryStorage()
    await source.commit([put('a'), put('z')], 'start')
    const target = memoryStorage()
    let writes = 0
    const onProgress = (): void => void source.commit([put(`late ${writes++}`)], `${writes}`)
    await expect(copyStorage(source, target, { onProgress })).rejects.toThrow('from: is being written to')
    await expect(createKernel({ storage: target, seal: keySeal(KEY) })).rejects.toThrow('an unfinished copy')
    await copyStorage(source, target)
    expect(await contents(target)).toEqual(await contents(source))
  })

  it('includes changes that the source receives during the first pass', async () => {
    const source = memoryStorage()
    await source.commit([put('a'), put('gone'), put('z')], 'start')
    const target = memoryStorage()
    let wrote = false
    const onProgress = (): void => {
      if (wrote) return
      wrote = true
      void source.commit([put('a', utf8('newer')), { op: 'del', key: 'gone' }, put('late')], 'late')
    }
    await copyStorage(source, target, { onProgress })
    expect(await contents(target)).toEqual(await contents(source))
  })

  it('fails if the target returns other values than were written', async () => {
    const source = memoryStorage()
    await source.commit([put('a'), put('b')], '1')
    const honest = memoryStorage()
    const lying: Storage = {
      ...honest,
      scan: async (prefix, page) =>
        (await honest.scan(prefix, page)).map((entry) => (entry.key === 'b' ? { ...entry, value: utf8('?') } : entry)),
    }
    await expect(copyStorage(source, lying)).rejects.toThrow('does not return 1 of the records')
  })

  it('completes a copy after two concurrent copies to the same target', async () => {
    const source = memoryStorage()
    for (let n = 0; n < 300; n++) await source.commit([put(`key/${n}`)], `${n}`)
    const target = chaoticStorage(memoryStorage({ maxOps: 64 }), { entropy: seededEntropy('two copies') })
    const ends = await Promise.allSettled([copyStorage(source, target), copyStorage(source, target)])
    for (const end of ends) if (end.status === 'rejected') expect(end.reason.code).toBe('ERR_PRECONDITION')
    await copyStorage(source, target)
    expect(await contents(target)).toEqual(await contents(source))
  })

  it('copies all records between storages that lose replies and repeat commits', async () => {
    for (let seed = 0; seed < 5; seed++) {
      const source = memoryStorage()
      await usedStore(source)
      const bad = (inner: Storage, side: string): Storage => chaoticStorage(inner, { entropy: seededEntropy(`${side} ${seed}`) })
      const target = memoryStorage({ maxOps: 16 })
      await copyStorage(bad(source, 'from'), bad(target, 'to'))
      expect(await contents(target)).toEqual(await contents(source))
    }
  })

  it('makes appends to the target continue after the last copied log index', async () => {
    const source = memoryStorage()
    for (let n = 1; n <= 12; n++) await source.commit([{ op: 'append', log: 'log', value: utf8(`${n}`) }], `${n}`)
    for (const target of [memoryStorage(), await lmdb()]) {
      await copyStorage(source, target)
      const verdict = await target.commit([{ op: 'append', log: 'log', value: utf8('13') }], 'next')
      expect(verdict).toMatchObject({ ok: true, appended: [13] })
    }
  })

  it('copies non-ASCII keys, and large and empty values, byte for byte', async () => {
    const source = memoryStorage()
    const keys = ['\u{1f511}', '\uffee', 'é', 'a\0b', 'a', 'z'.repeat(1900)]
    await source.commit(
      keys.map((key) => put(key, bytesOf(key.length === 1 ? 3_000_000 : 0, 3))),
      '1',
    )
    const target = await lmdb()
    await copyStorage(source, target)
    expect(await contents(target)).toEqual(await contents(source))
  })

  it('copies claims, so that a kernel on the target continues background work after they expire', async () => {
    const source = memoryStorage()
    const clock = movingClock()
    const kernel = await createKernel({ storage: source, seal: keySeal(KEY), initialize: true, clock })
    await kernel.transit.createKey({ name: 'orders', auto_rotate_period: '1h' })
    clock.advance(3_601_000)
    await kernel.tick()
    // The process dies here and leaves its claims.
    expect((await source.list('i/claim/')).length).toBeGreaterThan(0)
    const target = memoryStorage()
    await copyStorage(source, target)
    const moved = await createKernel({ storage: target, seal: keySeal(KEY), clock })
    clock.advance(3_601_000)
    await moved.tick()
    clock.advance(30_000)
    await moved.tick()
    expect((await moved.transit.readKey({ name: 'orders' })).latest_version).toBe(3)
    await moved.transit.createKey({ name: 'another' })
    await moved.close()
    await kernel.close()
  })
})
