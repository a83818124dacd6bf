import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { commitWithRetries } from '../../../src/core/storage/commit-with-retries.ts'
import {
  backupStorage,
  type Clock,
  createKernel,
  KernelError,
  keySeal,
  memoryStorage,
  type Op,
  restoreStorage,
  type Storage,
  systemClock,
} from '../../../src/index.ts'
import { chaoticStorage, seededEntropy } from '../../../src/testing/index.ts'
import { interrupting } from '../../fixtures/interrupting-storage.ts'
import { bytesOf, utf8 } from '../../property/support.ts'

const KEY = bytesOf(32, 61)
const put = (key: string, value: Uint8Array = utf8(key)): Op => ({ op: 'put', key, value })
const contents = async (storage: Storage) =>
  (await storage.scan('')).map(({ key, value }) => [key, Buffer.from(value).toString('hex')])
const collect = async (source: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const pieces: Uint8Array[] = []
  for await (const piece of source) pieces.push(piece)
  return Buffer.concat(pieces)
}
const small = async (): Promise<Storage> => {
  const storage = memoryStorage()
  await storage.commit([put('i/core/format', utf8('{"format":1}')), put('a'), put('b', new Uint8Array(0)), put('c')], 'small')
  return storage
}

describe('backup and restore', () => {
  it('copy a store from memory to LMDB, where only a kernel with the same seal opens it', async () => {
    const source = memoryStorage()
    const kernel = await createKernel({ storage: source, seal: keySeal(KEY), initialize: true })
    await kernel.transit.createKey({ name: 'orders' })
    const { ciphertext } = await kernel.transit.encrypt({ name: 'orders', plaintext: utf8('kept') })
    for (let n = 0; n < 400; n++) await kernel.kv.writeSecret({ path: `app/${n}`, data: { password: `correct horse ${n}` } })
    const progress: number[] = []
    const backup = await collect(kernel.backup({ onProgress: ({ done }) => void progress.push(done) }))
    expect(progress).toEqual([...progress].sort((a, b) => a - b))
    expect(progress.at(-1)).toBe((await source.list('')).length)
    for (const secret of ['correct horse', 'kept', kernel.rootToken!, Buffer.from(KEY)])
      expect(backup.includes(secret)).toBe(false)
    const directory = await mkdtemp(join(tmpdir(), 'strongroom-'))
    const target = lmdbStorage({ path: directory })
    expect(await restoreStorage([backup], target)).toEqual({ revision: await source.revision() })
    expect(await contents(target)).toEqual(await contents(source))
    await expect(createKernel({ storage: target, seal: keySeal(bytesOf(32, 1)) })).rejects.toThrow(KernelError)
    const restored = await createKernel({ storage: target, seal: keySeal(KEY) })
    expect((await restored.transit.decrypt({ name: 'orders', ciphertext })).plaintext).toEqual(utf8('kept'))
    expect((await restored.kv.readSecret({ path: 'app/7' })).data).toEqual({ password: 'correct horse 7' })
    await restored.close()
    await target.close()
    await rm(directory, { recursive: true })
    await kernel.seal.seal()
    expect((await collect(kernel.backup())).length).toBeGreaterThan(backup.length / 2)
    await kernel.close()
    expect(() => kernel.backup()).toThrow('the kernel is closed')
  })

  const directories: string[] = []
  it.each<[string, () => Promise<Storage>]>([
    ['memory', async () => memoryStorage()],
    ['a chaotic storage', async () => chaoticStorage(memoryStorage(), { entropy: seededEntropy('backup') })],
    [
      'LMDB',
      async () => {
        directories.push(await mkdtemp(join(tmpdir(), 'strongroom-')))
        return lmdbStorage({ path: directories.at(-1)!, shared: true })
      },
    ],
  ])('capture one consistent moment during concurrent writes, moves and deletions: %s', async (_, open) => {
    const source = await open()
    // Coins move between accounts, and accounts are created and deleted, but the total stays constant.
    const accounts = 600
    for (let at = 0; at < accounts; at += 100)
      await commitWithRetries(
        source,
        Array.from({ length: 100 }, (__, n) => put(`account/${at + n}`, new Uint8Array([10]))),
        `open ${at}`,
        async () => {},
      )
    let writes = 0
    let writing = true
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; writing; n++) {
        const [from, to] = [`account/${(n * 7 + writer) % accounts}`, `account/${(n * 13 + writer * 50) % accounts}`]
        if (from === to) continue
        const [giver, taker] = await source.getMany([from, to])
        const coins = giver?.value[0] ?? 0
        const sum = (taker?.value[0] ?? 0) + coins
        if (coins === 0 || sum > 255) continue
        const ops: Op[] = [
          { op: 'del', key: from, expect: giver!.version },
          { op: 'put', key: to, value: new Uint8Array([sum]), expect: taker?.version ?? 0 },
          { op: 'put', key: `last/${writer}`, value: utf8(`${n}`) },
        ]
        const verdict = await source.commit(ops, `${writer} ${n}`).catch(() => undefined)
        if (verdict?.ok) writes++
        // A backup cannot finish if writes never pause, which another test checks.
        await new Promise((resolve) => setTimeout(resolve, 3))
      }
    }
    const writers = Promise.all([write(1), write(2)])
    for (let backups = 0; backups < 3 || writes < 40; backups++) {
      const before = await source.revision(true)
      const target = memoryStorage()
      const { revision } = await restoreStorage(backupStorage(source), target)
      expect(revision).toBeGreaterThanOrEqual(before)
      const coins = (await target.scan('account/')).reduce((sum, { value }) => sum + value[0]!, 0)
      expect(coins).toBe(accounts * 10)
    }
    writing = false
    await writers
    const target = memoryStorage()
    await restoreStorage(backupStorage(source), target)
    expect(await contents(target)).toEqual(await contents(source))
    await source.close()
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true })
  })

  it('include changes that the storage does not list to its watchers', async () => {
    const inner = memoryStorage()
    for (let n = 0; n < 300; n++) await inner.commit([put(`key/${n}`)], `${n}`)
    let forgets = true
    const source: Storage = {
      ...inner,
      scan: async (prefix, page) => {
        const entries = await inner.scan(prefix, page)
        if (forgets && page?.after) {
          forgets = false
          await inner.commit([{ op: 'del', key: 'key/0' }, put('key/1', utf8('newer'))], 'unheard')
        }
        return entries
      },
      watch: (prefix, from, onChange) => inner.watch(prefix, from, ({ revision }) => onChange({ revision, keys: null })),
    }
    const target = memoryStorage()
    await restoreStorage(backupStorage(source), target)
    expect(forgets).toBe(false)
    expect(await contents(target)).toEqual(await contents(inner))
  })

  it('fail if the store is written to without a pause', async () => {
    const inner = await small()
    let writes = 0
    const source: Storage = {
      ...inner,
      revision: async (fresh) => {
        await inner.commit([put('a', utf8(`${writes}`))], `write ${writes++}`)
        return inner.revision(fresh)
      },
    }
    const clock: Clock = { now: systemClock.now, sleep: (_, signal) => systemClock.sleep(0, signal) }
    await expect(collect(backupStorage(source, { clock }))).rejects.toThrow('written to so often')
  })

  it('refuse a backup that is truncated or modified at any byte, and accept the whole backup afterwards', async () => {
    const source = await small()
    const backup = await collect(backupStorage(source))
    const target = memoryStorage()
    for (let at = 0; at < backup.length; at++) {
      const altered = Buffer.from(backup)
      altered[at]! ^= 1 << (at % 8)
      for (const wrong of [backup.subarray(0, at), altered, Buffer.concat([backup, backup.subarray(0, at + 1)])]) {
        await expect(restoreStorage([wrong], target)).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST' })
        if ((await target.list('')).length > 0)
          await expect(createKernel({ storage: target, seal: keySeal(KEY), initialize: true })).rejects.toThrow(
            'an unfinished restore',
          )
      }
    }
    await restoreStorage([backup], target)
    expect(await contents(target)).toEqual(await contents(source))
  })

  it('refuse a backup with reordered, missing or repeated frames', async () => {
    const source = memoryStorage()
    for (let n = 0; n < 100; n++) await source.commit([put(`key/${n}`)], `${n}`)
    const pieces: Uint8Array[] = []
    for await (const piece of backupStorage(source)) pieces.push(piece)
    expect(pieces.length).toBeGreaterThan(3)
    const [head, first, second, ...rest] = pieces
    for (const wrong of [
      [head, second, first, ...rest],
      [head, second, ...rest],
      [head, first, first, second, ...rest],
    ])
      await expect(restoreStorage(wrong as Uint8Array[], memoryStorage())).rejects.toThrow('the backup is damaged')
  })

  it('write nothing if the input is not a backup or has a newer format, and refuse the input', async () => {
    const target = memoryStorage()
    const backup = await collect(backupStorage(await small()))
    await expect(restoreStorage([utf8('something else altogether')], target)).rejects.toThrow('this is not a backup')
    await expect(restoreStorage([], target)).rejects.toThrow('this is not a backup')
    const newer = Buffer.from(backup)
    newer[18] = 2
    await expect(restoreStorage([newer], target)).rejects.toThrow('the backup has format 2; this release reads format 1')
    await expect(restoreStorage(['text'] as never, target)).rejects.toThrow(TypeError)
    expect(await target.list('')).toEqual([])
  })

  it('refuse a target that is not empty, and leave it unchanged', async () => {
    const backup = await collect(backupStorage(await small()))
    const target = memoryStorage()
    await target.commit([put('mine')], 'mine')
    await expect(restoreStorage([backup], target)).rejects.toMatchObject({ code: 'ERR_PRECONDITION' })
    expect(await contents(target)).toEqual([['mine', Buffer.from('mine').toString('hex')]])
  })

  it('accept a backup in pieces of any size', async () => {
    const source = await small()
    const backup = await collect(backupStorage(source))
    for (const size of [1, 3, 1000]) {
      const pieces = Array.from({ length: Math.ceil(backup.length / size) }, (_, n) => backup.subarray(n * size, (n + 1) * size))
      const target = memoryStorage()
      await restoreStorage(pieces, target)
      expect(await contents(target)).toEqual(await contents(source))
    }
  })

  it('succeed when they are repeated after an interruption at any call', async () => {
    const source = memoryStorage()
    for (let n = 0; n < 150; n++) await source.commit([put(`key/${n}`)], `${n}`)
    const backup = await collect(backupStorage(source))
    const counting = interrupting()
    await restoreStorage([backup], counting.wrap(memoryStorage({ maxOps: 32 })))
    for (const when of ['before', 'after'] as const) {
      for (let at = 1; at <= counting.calls; at++) {
        const target = memoryStorage({ maxOps: 32 })
        await target.commit([{ op: 'check', key: 'none', expect: 0 }], 'nothing')
        await expect(restoreStorage([backup], interrupting(at, when).wrap(target))).rejects.toThrow('call')
        // Only an interruption after the very last call leaves a complete store.
        if (at < counting.calls || when === 'before') await restoreStorage([backup], target)
        expect(await contents(target)).toEqual(await contents(source))
      }
    }
  })

  it('reject with the reason of an aborted signal, and stop watching the store', async () => {
    const inner = memoryStorage()
    for (let n = 0; n < 300; n++) await inner.commit([put(`key/${n}`)], `${n}`)
    let watching = 0
    const source: Storage = {
      ...inner,
      watch: async (...parameters) => {
        const stop = await inner.watch(...parameters)
        watching++
        return async () => {
          watching--
          await stop()
        }
      },
    }
    const abort = new AbortController()
    const reason = new Error('enough')
    const backup = backupStorage(source, { signal: abort.signal, onProgress: () => abort.abort(reason) })
    await expect(collect(backup)).rejects.toBe(reason)
    for await (const piece of backupStorage(source)) if (piece.length > 30) break
    expect(watching).toBe(0)
    await expect(restoreStorage(backupStorage(source), memoryStorage(), { signal: abort.signal })).rejects.toBe(reason)
    expect(watching).toBe(0)
  })

  it('refuse to back up a store that was not restored completely', async () => {
    const half = memoryStorage()
    const backup = await collect(backupStorage(await small()))
    await expect(restoreStorage([backup.subarray(0, -1)], half)).rejects.toThrow('truncated')
    await expect(collect(backupStorage(half))).rejects.toThrow('is an unfinished')
  })
})
