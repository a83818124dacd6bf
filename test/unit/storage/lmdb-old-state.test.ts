/**
 * A shared LMDB store must keep all commits if the number of the newest transaction in a lock file is set back. The package `lmdb` does that
 * if a process opens the store while another one commits.
 */
import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type LmdbStorage, lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import type { Commit } from '../../../src/core/storage/port.ts'

const NUMBER_AT = 8

let path: string
let storage: LmdbStorage

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'strongroom-'))
  storage = lmdbStorage({ path, shared: true })
})
afterEach(async () => {
  await storage.close()
  rmSync(path, { recursive: true, force: true })
})

/** Never closes the lock file, because that would release the locks of this process. */
function setBack(name: string, by: number): void {
  const file = openSync(join(path, name), 'r+')
  const number = new BigInt64Array(1)
  readSync(file, number, 0, 8, NUMBER_AT)
  number[0]! -= BigInt(by)
  writeSync(file, number, 0, 8, NUMBER_AT)
}

const put = (key: string): Promise<Commit> => storage.commit([{ op: 'put', key, value: new Uint8Array(300) }], key)

const revisionOf = (commit: Commit): number => {
  if (!commit.ok) throw new Error('it conflicts')
  return commit.revision
}

describe('after the number of the newest transaction was set back', () => {
  for (const by of [1, 2, 3, 4]) {
    it(`a commit keeps all earlier commits if the number is ${by} too small`, async () => {
      for (const key of ['a', 'b', 'c', 'd', 'e']) await put(key)
      setBack('lock.mdb', by)
      expect(revisionOf(await put('f'))).toBe(6)
      await storage.close()
      // Opening checks both meta pages.
      storage = lmdbStorage({ path, shared: true })
      expect(await storage.list('')).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
      expect(await storage.revision()).toBe(6)
    })

    it(`reads return what this process committed if the number is ${by} too small`, async () => {
      for (const key of ['a', 'b', 'c', 'd', 'e']) await put(key)
      setBack('lock.mdb', by)
      expect(storage.getSync!('e')?.version).toBe(5)
      setBack('lock.mdb', by)
      expect(await storage.revision()).toBe(5)
    })
  }

  it('commits and reads that run at the same time neither lose nor miss a commit', async () => {
    const keys = Array.from({ length: 200 }, (_, at) => `key-${String(at).padStart(3, '0')}`)
    const writeAll = async (own: readonly string[]): Promise<void> => {
      for (const key of own) {
        const revision = revisionOf(await put(key))
        setBack('lock.mdb', 1)
        expect((await storage.get(key))?.version).toBe(revision)
      }
    }
    await Promise.all([0, 1, 2, 3].map((one) => writeAll(keys.filter((_, at) => at % 4 === one))))
    expect(await storage.list('')).toEqual(keys)
    expect(await storage.revision()).toBe(keys.length)
  })

  it('another process may open the shared store, whose mode was stored in the newest transaction', async () => {
    await storage.close()
    await lmdbStorage({ path }).close()
    storage = lmdbStorage({ path, shared: true })
    setBack('holders.mdb-lock', 1)
    const second = lmdbStorage({ path, shared: true })
    await second.close()
    expect(() => lmdbStorage({ path })).toThrow('is already open, in this process or another; ')
  })
})
