import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Root } from '../../../src/adapters/storage-lmdb/driver.ts'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import type { Op } from '../../../src/core/storage/port.ts'

const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const
const { open } = createRequire(import.meta.url)('lmdb') as { open(options: object): Root }

const directory = mkdtempSync(join(tmpdir(), 'strongroom-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let paths = 0
const freshPath = (): string => join(directory, `store-${++paths}`)
const put = (key: string): Op => ({ op: 'put', key, value: new Uint8Array([1]) })

/** Opens the environment without this library. */
const bare = (path: string): Root => open({ path, noSubdir: false, overlappingSync: false, eventTurnBatching: false, ...BINARY })

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

  it('occupy less than 10 records for 100 single commits', async () => {
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
