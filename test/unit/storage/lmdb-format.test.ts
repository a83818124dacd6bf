/**
 * Format 2 of the LMDB storage kept the head among the verdicts. Opening a store upgrades it.
 */
import { createRequire } from 'node:module'
import { afterAll, describe, expect, it } from 'vitest'
import type { Root, Table } from '../../../src/adapters/storage-lmdb/driver.ts'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { checkHoldings, put, storeFolder } from './lmdb-format-2.ts'

const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const
const { open } = createRequire(import.meta.url)('lmdb') as { open(options: object): Root }

const stores = storeFolder()
const { freshPath, storeOfFormat2 } = stores
afterAll(stores.remove)

/** Opens the environment without this library. */
const bare = (path: string): Root => open({ path, noSubdir: false, overlappingSync: false, eventTurnBatching: false, ...BINARY })

describe('an LMDB store of format 2', () => {
  it('keeps its records, verdicts and revision after the upgrade', async () => {
    const path = storeOfFormat2()
    const storage = lmdbStorage({ path })
    expect(await storage.revision()).toBe(49)
    await checkHoldings(storage)
    expect(await storage.commit([put('next')], 'next')).toEqual({ ok: true, revision: 50, appended: [] })
    await storage.close()
    const again = lmdbStorage({ path })
    await checkHoldings(again)
    expect(await again.commit([put('other')], 'next')).toEqual({ ok: true, revision: 50, appended: [] })
    expect(await again.revision()).toBe(50)
    await again.close()
  })

  it('can no longer be written to by an older release that opened it before the upgrade', async () => {
    const path = storeOfFormat2()
    const root = bare(path)
    const meta = root.openDB({ name: 'meta', ...BINARY })
    const data = root.openDB({ name: 'data', ...BINARY })
    // A commit of an older release: it takes the revision after that of the head and stores it in 8 bytes before the value.
    const commit = (): number =>
      root.transactionSync(() => {
        const head = meta.getBinary(Buffer.from('head')) as Buffer
        const next = head.readUInt32BE(0) * 2 ** 32 + head.readUInt32BE(4) + 1
        const record = Buffer.alloc(9)
        data.put(Buffer.from('by another'), record).catch(() => undefined)
        record.writeUInt32BE(Math.floor(next / 2 ** 32), 0)
        record.writeUInt32BE(next % 2 ** 32, 4)
        data.put(Buffer.from('by another'), record).catch(() => undefined)
        return next
      })
    const storage = lmdbStorage({ path, shared: true })
    expect(commit).toThrow(RangeError)
    expect(await storage.list('by')).toEqual([])
    expect(await storage.commit([put('next')], 'next')).toEqual({ ok: true, revision: 50, appended: [] })
    expect(commit).toThrow(RangeError)
    await storage.close()
    await root.close()
  })

  it('has its new format number where an older release looks for it', async () => {
    const path = storeOfFormat2()
    await lmdbStorage({ path }).close()
    const root = bare(path)
    const stamp = root.openDB({ name: 'meta', ...BINARY }).getBinary(Buffer.from('format'))
    expect(stamp?.readBigUInt64BE()).toBe(3n)
    // An older release first checks that the main tree contains only tables.
    const names = [...(root as unknown as Table).getKeys({ start: Buffer.from([0]) })].map((name) =>
      String(name).replace('\0', ''),
    )
    expect(names.sort()).toEqual(['changes', 'data', 'head', 'logs', 'meta'])
    await root.close()
  })
})

describe('the outcomes of LMDB commits', () => {
  it('are stored for the last 1,000 commit ids, even after the store is opened again', async () => {
    const path = freshPath()
    let storage = lmdbStorage({ path })
    const ids: string[] = []
    const commit = async (): Promise<void> => {
      const id = `commit ${ids.length}`
      ids.push(id)
      expect(await storage.commit([put(`r/${id}`)], id)).toMatchObject({ ok: true })
    }
    for (let i = 0; i < 60; i++) await commit()
    await Promise.all(Array.from({ length: 900 }, commit))
    await storage.close()
    storage = lmdbStorage({ path })
    for (let i = 0; i < 60; i++) await commit()
    await storage.close()
    storage = lmdbStorage({ path })
    const revision = await storage.revision()
    const again = await Promise.all(ids.slice(-1000).map((id) => storage.commit([put('never')], id)))
    expect(again.map((verdict) => verdict.ok && verdict.revision)).toEqual(ids.slice(-1000).map((id) => ids.indexOf(id) + 1))
    expect(await storage.revision()).toBe(revision)
    await storage.close()
  })

  it('are visible to other instances that have the store open', async () => {
    const path = freshPath()
    const [first, second] = [lmdbStorage({ path, shared: true }), lmdbStorage({ path, shared: true })]
    expect(await second.commit([put('a')], 'second')).toMatchObject({ revision: 1 })
    for (let i = 0; i < 200; i++) expect(await first.commit([put('b')], `first ${i}`)).toMatchObject({ revision: i + 2 })
    for (const i of [0, 100, 199])
      expect(await second.commit([put('c')], `first ${i}`)).toEqual({ ok: true, revision: i + 2, appended: [] })
    expect(await first.commit([put('c')], 'second')).toMatchObject({ revision: 1 })
    await Promise.all([first.close(), second.close()])
  })

  it('of 100 single commits are stored in less than 10 records', async () => {
    const path = freshPath()
    const storage = lmdbStorage({ path })
    const id = (i: number): string => String(i).padStart(32, '0')
    for (let i = 0; i < 100; i++) await storage.commit([put('a')], id(i))
    await storage.close()
    const root = bare(path)
    const slots = [...root.openDB({ name: 'meta', ...BINARY }).getKeys({ start: Buffer.from('verdict/') })]
    expect(slots.length).toBeGreaterThan(0)
    expect(slots.length).toBeLessThan(10)
    await root.close()
  })

  it('are stored for ids of any length and with any characters', async () => {
    const path = freshPath()
    const ids = ['[', '["a", {}]', ' ', '7 seven', 'two\nlines', 'ü'.repeat(1_500), 'x'.repeat(5_000), '\n']
    const storage = lmdbStorage({ path })
    for (const id of ids) await storage.commit([put('a')], id)
    await storage.close()
    const again = lmdbStorage({ path })
    for (const [at, id] of ids.entries())
      expect(await again.commit([put('b')], id)).toEqual({ ok: true, revision: at + 1, appended: [] })
    await again.close()
  })
})
