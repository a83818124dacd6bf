/** Whether one process may open an LMDB store twice. Cases of several processes are in `lmdb-holders.slow.test.ts`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'

const REFUSED =
  /^cannot open the store in .* is open already, in this process or another.* open it with \{ shared: true \} everywhere$/
let path: string

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'strongroom-'))
})
afterEach(() => rmSync(path, { recursive: true, force: true }))

const here = (shared: boolean): string => {
  try {
    const storage = lmdbStorage({ path, shared })
    void storage.close()
    return 'held'
  } catch (error) {
    return (error as Error).message
  }
}

describe('an LMDB store that is open', () => {
  for (const [first, second] of [
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ] as const) {
    const verdict = first && second ? 'is opened' : 'is not opened'
    const [one, other] = [first, second].map((shared) => (shared ? 'shared' : 'alone'))

    it(`${verdict} ${other} beside one that has it ${one}, in the same process`, async () => {
      const storage = lmdbStorage({ path, shared: first })
      expect(here(second)).toMatch(first && second ? /^held$/ : REFUSED)
      // The one that has it goes on.
      expect((await storage.commit([{ op: 'put', key: 'a', value: new Uint8Array(1) }], '1')).ok).toBe(true)
      await storage.close()
      expect(here(second)).toBe('held')
    })
  }
})
