/**
 * Failures of the lmdb driver must reach the caller and not end the process. The tests use child processes, because vitest handles
 * unhandled rejections itself.
 */
import { execFileSync, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compiled } from '../../fixtures/compiled.ts'

const home = mkdtempSync(join(tmpdir(), 'strongroom-'))
const disk = mkdtempSync(join(tmpdir(), 'strongroom-disk-'))
let adapter: string

/** Mounts a disk of 1 MiB. Returns the reason if that is impossible. */
function mount(): string | undefined {
  if (process.platform !== 'linux') return 'needs a tmpfs'
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', disk], { stdio: 'pipe' })
    return undefined
  } catch {
    return 'needs the right to mount a tmpfs'
  }
}
const missing = mount()

beforeAll(() => {
  adapter = compiled('src/adapters/storage-lmdb/index.ts')
})

afterAll(() => {
  if (missing === undefined) execFileSync('umount', [disk])
  for (const path of [home, disk]) rmSync(path, { recursive: true, force: true })
})

/** Runs a program and returns its messages and its exit code. */
function run(program: string, ...parameters: string[]): Promise<{ messages: unknown[]; code: number | null }> {
  const path = fileURLToPath(new URL(program, import.meta.url))
  // `silent` hides the rejections that the driver writes to stderr.
  const child = fork(path, [adapter, ...parameters], { execArgv: [], silent: true })
  const messages: unknown[] = []
  child.on('message', (message) => messages.push(message))
  return new Promise((resolve) => child.once('exit', (code) => resolve({ messages, code })))
}

describe('a process with an LMDB store', () => {
  for (const atOnce of [1, 8])
    it.skipIf(missing !== undefined)(
      `survives a full disk with ${atOnce} concurrent commits and loses no acknowledged commit${missing ? ` (${missing})` : ''}`,
      async () => {
        const { messages, code } = await run('./lmdb-full-disk.mjs', join(disk, `store-${atOnce}`), `${atOnce}`)
        expect(code).toBe(0)
        const [outcome] = messages as [{ refused: string[]; kept: number; lost: number }]
        expect(outcome.kept).toBeGreaterThan(0)
        expect(outcome.lost).toBe(0)
        expect(new Set(outcome.refused)).toEqual(new Set(['OutcomeUnknown']))
        rmSync(join(disk, `store-${atOnce}`), { recursive: true })
      },
    )

  it('continues if one or all promises of the lmdb driver reject', async () => {
    const { messages, code } = await run('./lmdb-rejecting.mjs', home)
    expect(code).toBe(0)
    expect(messages).toHaveLength(2)
    for (const { tried, rejected } of messages as { tried: number; rejected: number }[]) {
      expect(tried).toBeGreaterThan(10)
      expect(rejected).toBeGreaterThan(0)
    }
  })
})
