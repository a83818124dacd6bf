/**
 * Opening a truncated or damaged file must throw. LMDB itself would crash the process.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BINARY, type Lmdb, type Root, type Table } from '../../../src/adapters/storage-lmdb/driver.ts'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { openRoot } from '../../../src/adapters/storage-lmdb/open-root.ts'
import { validateFile } from '../../../src/adapters/storage-lmdb/validate-file.ts'
import { compiled } from '../../fixtures/compiled.ts'

const OPENER = fileURLToPath(new URL('./lmdb-opener.mjs', import.meta.url))
const RECORDS = 60
const HEAD_BYTES = 168

const home = mkdtempSync(join(tmpdir(), 'strongroom-'))
const sound = join(home, 'sound')
let opener: ChildProcess

interface Damage {
  readonly length?: number
  readonly at?: number
  readonly xor?: number
}
type Outcome = { readonly error: string } | { readonly records: number; readonly revision: number } | { readonly died: string }

beforeAll(async () => {
  const adapter = compiled('src/adapters/storage-lmdb/index.ts')
  const storage = lmdbStorage({ path: sound })
  for (let n = 0; n < RECORDS; n++) {
    const ops = [{ op: 'put', key: `k/${n}`, value: new Uint8Array(n % 10 === 0 ? 10_000 : 200).fill(n) } as const]
    await storage.commit(ops, `${n}`)
  }
  await storage.close()
  opener = fork(OPENER, [adapter, sound, home])
  await new Promise((resolve) => opener.once('message', resolve))
})

afterAll(() => {
  opener.kill('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

function open(damage: Damage): Promise<Outcome> {
  return new Promise((resolve) => {
    const died = (code: number | null, signal: string | null) => resolve({ died: String(signal ?? code) })
    opener.once('exit', died)
    opener.once('message', (outcome) => {
      opener.removeListener('exit', died)
      resolve(outcome as Outcome)
    })
    opener.send(damage)
  })
}

/** The store must open with all acknowledged records or be refused with a message. */
function classify(damage: Damage, outcome: Outcome): 'opened' | 'refused' {
  const where = JSON.stringify(damage)
  if ('error' in outcome) {
    expect(outcome.error, where).toMatch(/^cannot open the store in .*: \S/)
    return 'refused'
  }
  expect([where, outcome]).toEqual([where, { records: RECORDS, revision: RECORDS + 1 }])
  return 'opened'
}

function openRaw(path: string): { readonly root: Root; readonly table: Table } {
  const lmdb = createRequire(import.meta.url)('lmdb') as Lmdb
  const root = openRoot(lmdb, { path, noSubdir: false })
  return { root, table: root.openDB({ name: 'data', ...BINARY }) }
}

describe('opening an LMDB store', () => {
  it('succeeds if the file is undamaged', async () => {
    expect(classify({}, await open({}))).toBe('opened')
  })

  it('fails without ending the process if the file is truncated', async () => {
    const { size } = statSync(join(sound, 'data.mdb'))
    const lengths = new Set([1, 23, 24, 27, 100, HEAD_BYTES, 4095, 4097, 4096 + HEAD_BYTES - 1, 8191, 8193, size - 1])
    for (let length = 4096; length < size; length += 4096) lengths.add(length)
    const kinds = { opened: 0, refused: 0 }
    for (const length of lengths) kinds[classify({ length }, await open({ length }))]++
    expect(kinds.refused).toBeGreaterThan(0)
    // On Windows the file is as long as the memory map and its end is unused.
    const cuts = process.platform === 'win32' ? [4096, 8192] : [4096, 8192, size - 4096]
    for (const length of cuts) expect(classify({ length }, await open({ length })), `${length}`).toBe('refused')
  })

  it.skipIf(process.platform === 'win32')(
    `succeeds if the file lacks only pages that were freed before they were written${process.platform === 'win32' ? ' (skipped: on Windows it lacks nothing)' : ''}`,
    async () => {
      const path = join(home, 'short')
      const file = join(path, 'data.mdb')
      const { root, table } = openRaw(path)
      const isShort = (): boolean => {
        const bytes = readFileSync(file)
        const pageBytes = bytes.readUInt32LE(48)
        const lastPages = [0, pageBytes].map((head) => Number(bytes.readBigUInt64LE(head + 144)))
        return bytes.length < (Math.max(...lastPages) + 1) * pageBytes
      }
      let tries = 0
      do {
        const keys = Array.from({ length: 700 + 300 * (tries % 8) }, (_, n) => Buffer.from(`${tries}/${n}`))
        await root.childTransaction(() => {
          for (const key of keys) void table.put(key, Buffer.alloc(300))
          for (const key of keys.slice((tries * 97) % keys.length)) void table.remove(key)
        })
      } while (!isShort() && ++tries < 300)
      await root.close()
      expect(isShort()).toBe(true)
      expect(() => validateFile(file)).not.toThrow()
      truncateSync(file, 3 * 4096)
      expect(() => validateFile(file)).toThrow('truncated')
    },
  )

  it('succeeds with all records, or fails without ending the process, if a header byte is damaged', async () => {
    const pageBytes = readFileSync(join(sound, 'data.mdb')).readUInt32LE(48)
    const kinds = { opened: 0, refused: 0 }
    for (const head of [0, pageBytes])
      for (let at = head; at < head + HEAD_BYTES; at++)
        for (const xor of [0x01, 0xff]) kinds[classify({ at, xor }, await open({ at, xor }))]++
    expect(kinds.refused).toBeGreaterThan(kinds.opened)
  })
})
