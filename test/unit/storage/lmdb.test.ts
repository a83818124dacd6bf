import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadLmdb } from '../../../src/adapters/storage-lmdb/environment.ts'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import type { Change, Op } from '../../../src/core/storage/port.ts'

const directory = mkdtempSync(join(tmpdir(), 'strongroom-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let paths = 0
const freshPath = (): string => join(directory, `store-${++paths}`)
const put = (key: string, expect?: number): Op => ({
  op: 'put',
  key,
  value: new Uint8Array([1]),
  ...(expect !== undefined && { expect }),
})

describe('lmdbStorage', () => {
  it('has the documented capabilities', async () => {
    const storage = lmdbStorage({ path: freshPath() })
    expect(storage.caps).toEqual({ durable: true, shared: false, maxOps: 10_000, maxValueBytes: 64 * 1024 * 1024 })
    expect(storage.getSync).toBeDefined()
    await storage.close()
  })

  it('returns the records of an acknowledged commit from getSync at once, even with 256 concurrent writers', async () => {
    const storage = lmdbStorage({ path: freshPath() })
    const unseen: string[] = []
    let next = 0
    const writer = async () => {
      while (next < 2000) {
        const key = `r/${next++}`
        const puts = Array.from({ length: 12 }, (_, at): Op => ({ op: 'put', key: `${key}/${at}`, value: new Uint8Array(300) }))
        expect(await storage.commit(puts, key)).toMatchObject({ ok: true })
        if (storage.getSync?.(`${key}/0`) === undefined) unseen.push(key)
      }
    }
    await Promise.all(Array.from({ length: 256 }, writer))
    expect(unseen).toEqual([])
    await storage.close()
  })

  it.skipIf(process.platform === 'win32')(
    `creates the directory and its files with access for the owner only${process.platform === 'win32' ? ' (skipped: Windows has no such modes)' : ''}`,
    async () => {
      const path = join(freshPath(), 'deep')
      const storage = lmdbStorage({ path })
      await storage.commit([put('a')], '1')
      const mode = (name: string) => statSync(join(path, name)).mode & 0o777
      expect([mode('.'), mode('data.mdb'), mode('lock.mdb')]).toEqual([0o700, 0o600, 0o600])
      await storage.close()
    },
  )

  it('creates a directory even if its name contains a dot', async () => {
    const path = `${freshPath()}.store`
    await lmdbStorage({ path }).close()
    expect(statSync(path).isDirectory()).toBe(true)
  })

  it('refuses an empty path, and the path of a file', () => {
    expect(() => lmdbStorage({ path: '' })).toThrow(TypeError)
    expect(() => lmdbStorage({ path: undefined as never })).toThrow(TypeError)
    const file = freshPath()
    writeFileSync(file, 'x')
    expect(() => lmdbStorage({ path: file })).toThrow(`cannot open the store in ${file}`)
  })

  it.each([
    ['short', 10],
    ['long', 8192],
  ])('refuses a %s file that is not an LMDB file', (_, size) => {
    const path = freshPath()
    mkdirSync(path)
    writeFileSync(join(path, 'data.mdb'), Buffer.alloc(size, 1))
    expect(() => lmdbStorage({ path })).toThrow(`cannot open the store in ${path}`)
  })

  it('throws an error that names the lmdb package if it is missing or cannot be loaded', () => {
    const fail = (code: string) => () =>
      loadLmdb(() => {
        throw Object.assign(new Error('no'), { code })
      })
    expect(fail('MODULE_NOT_FOUND')).toThrow('npm install lmdb')
    expect(fail('ERR_DLOPEN_FAILED')).toThrow("package 'lmdb', which could not be loaded")
  })

  it('refuses a store of a newer format', async () => {
    const path = freshPath()
    await lmdbStorage({ path }).close()
    const { open } = createRequire(import.meta.url)('lmdb') as { open(options: object): unknown }
    const root = open({ path, noSubdir: false, overlappingSync: false }) as {
      openDB(options: object): { put(key: Buffer, value: Buffer): Promise<boolean> }
      close(): Promise<void>
    }
    await root
      .openDB({ name: 'meta', encoding: 'binary', keyEncoding: 'binary' })
      .put(Buffer.from('format'), Buffer.from([0, 0, 0, 0, 0, 0, 0, 2]))
    await root.close()
    expect(() => lmdbStorage({ path })).toThrow('has format 2; this version of strongroom reads formats up to 1')
  })

  it('rejects a commit if a process outside the reader table has written to the store', async () => {
    const path = freshPath()
    const storage = lmdbStorage({ path })
    await storage.commit([put('a')], '1')
    await storage.commit([put('a')], '2')
    // Write like a release that did not register in the reader table.
    const { open } = createRequire(import.meta.url)('lmdb') as { open(options: object): unknown }
    const root = open({ path, noSubdir: false, overlappingSync: false }) as {
      openDB(options: object): { put(key: Buffer, value: Buffer): Promise<boolean> }
      close(): Promise<void>
    }
    await root
      .openDB({ name: 'head', encoding: 'binary', keyEncoding: 'binary' })
      .put(Buffer.from('head'), Buffer.from([3, 3, 0].flatMap((number) => [0, 0, 0, 0, 0, 0, 0, number])))
    await root.close()
    await expect(storage.commit([put('c')], '4')).rejects.toThrow('another process writes to this store')
    expect(await storage.list('')).toEqual(['a'])
    await storage.close()
  })

  it('in shared mode returns commits of other instances at once, and notifies watchers of them', async () => {
    const path = freshPath()
    const [first, second] = [lmdbStorage({ path, shared: true }), lmdbStorage({ path, shared: true })]
    const received: Change[] = []
    const stop = await second.watch('a', 0, (change) => received.push(change))
    for (let i = 0; i < 50; i++) {
      expect((await first.commit([put(`a/${i}`)], `first ${i}`)).ok).toBe(true)
      expect(second.getSync?.(`a/${i}`)?.version).toBe(i * 2 + 1)
      expect((await second.commit([put(`b/${i}`, 0)], `second ${i}`)).ok).toBe(true)
      expect(await first.revision(true)).toBe(i * 2 + 2)
    }
    expect(received.map((change) => change.keys)).toEqual(Array.from({ length: 50 }, (_, i) => [`a/${i}`]))
    // Watchers are notified even if their own instance makes no commit.
    let onChange: () => void = () => undefined
    const hearing = new Promise<void>((resolve) => {
      onChange = resolve
    })
    const stopOther = await second.watch('later', 100, () => onChange())
    await first.commit([put('later')], 'later')
    await hearing
    // Commit ids are shared by all instances.
    expect(await second.commit([put('x')], 'later')).toEqual({ ok: true, revision: 101, appended: [] })
    await Promise.all([stop(), stopOther()])
    await Promise.all([first.close(), second.close()])
  })

  it('during writes makes a consistent backup that only its owner may read', async () => {
    const storage = lmdbStorage({ path: freshPath() })
    const large = new Uint8Array(20_000)
    for (let i = 0; i < 200; i++) await storage.commit([{ op: 'put', key: `large/${i}`, value: large }], `large ${i}`)
    let writing = true
    let written = 0
    const writer = (async () => {
      for (; writing; written++) await storage.commit([put(`left/${written}`), put(`right/${written}`)], `pair ${written}`)
    })()
    const directory = join(freshPath(), 'of', 'monday')
    await storage.backup(directory)
    const before = written
    writing = false
    await writer
    await storage.close()
    const copy = lmdbStorage({ path: directory })
    const left = await copy.list('left/')
    expect(await copy.list('right/')).toEqual(left)
    expect(left.length).toBeLessThanOrEqual(before + 1)
    expect((await copy.list('large/')).length).toBe(200)
    expect(await copy.revision()).toBe(200 + left.length)
    expect((await copy.commit([put('own')], 'pair 0')).ok).toBe(true)
    if (process.platform !== 'win32') {
      const mode = (name: string) => statSync(join(directory, name)).mode & 0o777
      expect([mode('.'), mode('data.mdb')]).toEqual([0o700, 0o600])
    }
    await copy.close()
  })

  it('refuses a backup target that is not empty, and leaves no unfinished backup', async () => {
    const storage = lmdbStorage({ path: freshPath() })
    const path = freshPath()
    mkdirSync(path)
    writeFileSync(join(path, 'file'), 'x')
    await expect(storage.backup(path)).rejects.toThrow('it is not empty')
    expect(readdirSync(path)).toEqual(['file'])
    await expect(storage.backup(join(path, 'file', 'below'))).rejects.toThrow('cannot back up to')
    await expect(storage.backup('')).rejects.toThrow(TypeError)
    const empty = freshPath()
    mkdirSync(empty)
    await storage.backup(empty, { compact: false })
    expect(existsSync(`${empty}.unfinished`)).toBe(false)
    await storage.close()
    await lmdbStorage({ path: empty }).close()
  })
})
