import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { logIndex } from '../../../src/core/storage/port.ts'
import { compiled } from '../../fixtures/compiled.ts'

const KILLS = 5
const WRITER = fileURLToPath(new URL('./lmdb-writer.mjs', import.meta.url))
const path = mkdtempSync(join(tmpdir(), 'strongroom-'))
let adapter: string

beforeAll(() => {
  adapter = compiled('src/adapters/storage-lmdb/index.ts')
})

afterAll(() => {
  rmSync(path, { recursive: true, force: true })
})

/** Kills a writer after it has reported `enough` commits. Returns its reports: lines of name, revision and log index. */
function killWriter(run: string, enough: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const writer = spawn(process.execPath, [WRITER, adapter, path, run], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    writer.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.split('\n').length > enough) writer.kill('SIGKILL')
    })
    writer.on('close', (code, signal) => {
      if (signal !== 'SIGKILL') reject(new Error(`the writer ended by itself, with ${signal ?? code}`))
      // Ignore a last line that the kill truncated.
      else resolve(output.split('\n').slice(0, -1))
    })
  })
}

it(`an LMDB store has every acknowledged commit, and none in part, after two writers are killed ${KILLS} times`, async () => {
  const acknowledged: string[] = []
  for (let run = 0; run < KILLS; run++) {
    // One writer is killed while the other continues.
    const reports = await Promise.all([killWriter(`${run}a`, 20 + run * 37), killWriter(`${run}b`, 90)])
    acknowledged.push(...reports.flat())
    const storage = lmdbStorage({ path })
    const versions = new Map((await storage.scan('left/')).map((entry) => [entry.key.slice('left/'.length), entry.version]))
    expect(await storage.list('right/')).toEqual(await storage.list('left/'))
    const log = new Map((await storage.scan('log/')).map((entry) => [entry.version, logIndex('log', entry.key)]))
    expect([...log.values()]).toEqual(Array.from({ length: versions.size }, (_, i) => i + 1))
    expect(await storage.revision()).toBe(versions.size)
    for (const line of acknowledged) {
      const [name = '', revision, index] = line.split(' ')
      expect([name, versions.get(name), log.get(Number(revision))]).toEqual([name, Number(revision), Number(index)])
    }
    await storage.close()
  }
  expect(acknowledged.length).toBeGreaterThan(KILLS * 20)
})
