/** Which processes may have an LMDB store open at the same time. The cases within one process are in `lmdb-holders.test.ts`. */
import { type ChildProcess, execFile, execFileSync, fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { compiled } from '../../fixtures/compiled.ts'

const HOLDER = fileURLToPath(new URL('./lmdb-holder.mjs', import.meta.url))
const WAITER = fileURLToPath(new URL('./lmdb-waiter.mjs', import.meta.url))
const REFUSED =
  /^cannot open the store in .* is already open, in this process or another.* open it with \{ shared: true \} everywhere$/
let adapter: string
let path: string
let children: ChildProcess[]

beforeAll(() => {
  adapter = compiled('src/adapters/storage-lmdb/index.ts')
})
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'strongroom-'))
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(path, { recursive: true, force: true })
})

const message = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('message', resolve))
const end = (child: ChildProcess): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((resolve) => child.once('exit', resolve))

/** Starts another process that opens the store. Resolves with its first message. */
async function elsewhere(
  shared: boolean,
  execArgv: readonly string[] = [],
): Promise<{ readonly child: ChildProcess; readonly report: unknown }> {
  const child = fork(HOLDER, [adapter, path, `${shared}`], { execArgv: [...execArgv] })
  children.push(child)
  return { child, report: await message(child) }
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = end(child)
  child.kill('SIGKILL')
  await ended
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

/** The reason why no process can be started in another PID namespace. */
const missing = ((): string | undefined => {
  if (process.platform !== 'linux') return 'needs namespaces of Linux'
  try {
    execFileSync('unshare', ['--pid', '--fork', 'true'], { stdio: 'pipe' })
    return undefined
  } catch {
    return 'needs the right to make a namespace'
  }
})()

describe('an LMDB store', () => {
  for (const [first, second] of [
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ] as const) {
    const verdict = first && second ? 'is opened' : 'is not opened'
    const [one, other] = [first, second].map((shared) => (shared ? 'in shared mode' : 'in exclusive mode'))

    it(`${verdict} ${other} while another process has it open ${one}`, async () => {
      const { child, report } = await elsewhere(first)
      expect(report).toBe('held')
      expect(here(second)).toMatch(first && second ? /^held$/ : REFUSED)
      expect((await elsewhere(second)).report).toMatch(first && second ? /^held$/ : REFUSED)
      const closed = message(child)
      child.send('close')
      expect(await closed).toBe('closed')
      if (!second) expect((await elsewhere(second)).report).toBe('held')
    })

    it(`is opened ${other} immediately after the process that had it open ${one} was killed`, async () => {
      const { child } = await elsewhere(first)
      await kill(child)
      expect(here(second)).toBe('held')
      const { child: next, report } = await elsewhere(second)
      expect(report).toBe('held')
      await kill(next)
    })
  }

  for (const [cause, execArgv] of [
    ['a forced garbage collection', ['--expose-gc']],
    ['allocations that fill the heap', ['--max-old-space-size=64']],
  ] as const) {
    it(`is not opened by a second process after ${cause} in the process that has it open`, async () => {
      const { child } = await elsewhere(false, execArgv)
      const collected = message(child)
      child.send('collect')
      expect(await collected).toBe('collected')
      expect(here(false)).toMatch(REFUSED)
      expect((await elsewhere(false)).report).toMatch(REFUSED)
      const closed = message(child)
      child.send('close')
      expect(await closed).toBe('closed')
      expect((await elsewhere(false)).report).toBe('held')
    })
  }

  it('is opened by several processes in shared mode after the process that had it open in exclusive mode was killed', async () => {
    const alone = await elsewhere(false)
    await kill(alone.child)
    const report = await Promise.all(Array.from({ length: 4 }, async () => (await elsewhere(true)).report))
    expect(report).toEqual(['held', 'held', 'held', 'held'])
  })

  it('is opened by only one of several processes that try at once in exclusive mode', async () => {
    const report = await Promise.all(Array.from({ length: 4 }, async () => (await elsewhere(false)).report))
    expect(report.filter((word) => word === 'held')).toHaveLength(1)
    for (const word of report) if (word !== 'held') expect(word).toMatch(REFUSED)
  })

  it('can be opened in exclusive mode once all processes that had it open in shared mode were killed', async () => {
    const [killed, living] = [await elsewhere(true), await elsewhere(true)]
    await kill(killed.child)
    expect(here(false)).toMatch(REFUSED)
    await kill(living.child)
    expect(here(false)).toBe('held')
  })

  it('is opened by each of several waiting processes, however often the process that has it open closes it', async () => {
    const rounds = 150
    const wait = (): Promise<unknown> => promisify(execFile)(process.execPath, [WAITER, adapter, path, `${rounds}`])
    await Promise.all([wait(), wait(), wait()])
    const storage = lmdbStorage({ path })
    expect(await storage.revision()).toBe(3 * rounds)
    await storage.close()
  })

  it.skipIf(missing !== undefined)(
    `is opened by a process with the same PID in another namespace only after the first one was killed${missing ? ` (${missing})` : ''}`,
    async () => {
      const contained = (): Promise<{ readonly child: ChildProcess; readonly report: string }> =>
        new Promise((resolve) => {
          const command = ['--pid', '--fork', '--kill-child', process.execPath, HOLDER, adapter, path, 'false']
          const child = spawn('unshare', command, { stdio: ['pipe', 'pipe', 'inherit'] })
          children.push(child)
          child.stdout.once('data', (report: Buffer) => resolve({ child, report: report.toString().trim() }))
        })
      const first = await contained()
      expect(first.report).toBe('held')
      expect((await contained()).report).toMatch(REFUSED)
      expect(here(false)).toMatch(REFUSED)
      await kill(first.child)
      await expect.poll(async () => (await contained()).report, { timeout: 60_000 }).toBe('held')
    },
  )
})
