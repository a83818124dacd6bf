/** Whether one process may open an LMDB store twice. Cases of several processes are in `lmdb-holders.slow.test.ts`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'

const REFUSED =
  /^cannot open the store in .* is already open, in this process or another.* open it with \{ shared: true \} everywhere$/
let path: string

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'strongroom-'))
})
afterEach(() => rmSync(path, { recursive: true, force: true }))

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Collects garbage in several turns of the event loop: lmdb drops its own reference to a transaction at the end of the turn. */
async function collectAllGarbage(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    collectGarbage()
  }
}

const here = (shared: boolean): string => {
  try {
    const storage = lmdbStorage({ path, shared })
    void storage.close()
    return 'held'
  } catch (error) {
    return (error as Error).message
  }
}

describe('an LMDB store', () => {
  for (const [first, second] of [
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ] as const) {
    const result = first && second ? 'can be opened' : 'cannot be opened'
    const [one, other] = [first, second].map((shared) => (shared ? 'in shared mode' : 'in exclusive mode'))

    it(`${result} ${other} a second time while the same process has it open ${one}`, async () => {
      const storage = lmdbStorage({ path, shared: first })
      expect(here(second)).toMatch(first && second ? /^held$/ : REFUSED)
      // The first instance still works.
      expect((await storage.commit([{ op: 'put', key: 'a', value: new Uint8Array(1) }], '1')).ok).toBe(true)
      await storage.close()
      expect(here(second)).toBe('held')
    })
  }

  for (const [first, second] of [
    [false, false],
    [false, true],
    [true, false],
  ] as const) {
    const [one, other] = [first, second].map((shared) => (shared ? 'in shared mode' : 'in exclusive mode'))

    it(`is not opened ${other} after a garbage collection in the process that has it open ${one}`, async () => {
      const storage = lmdbStorage({ path, shared: first })
      await storage.commit([{ op: 'put', key: 'a', value: new Uint8Array(1) }], '1')
      await collectAllGarbage()
      expect(here(second)).toMatch(REFUSED)
      // Neither a refused opening nor another collection releases the store.
      await collectAllGarbage()
      expect(here(second)).toMatch(REFUSED)
      await storage.close()
      expect(here(second)).toBe('held')
    })

    it(`is not opened ${other} after the storage that opened it ${one} was garbage-collected without being closed`, async () => {
      lmdbStorage({ path, shared: first })
      await collectAllGarbage()
      expect(here(second)).toMatch(REFUSED)
    })
  }
})
