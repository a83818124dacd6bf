/** Which processes may have an LMDB store open at the same time. The cases within one process are in `lmdb-holders.test.ts`. */
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { compiled } from '../../fixtures/compiled.ts'

const HOLDER = fileURLToPath(new URL('./lmdb-holder.mjs', import.meta.url))
const REFUSED =
  /^cannot open the store in .* is open already, in this process or another.* open it with \{ shared: true \} everywhere$/
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

/** Another process; resolves with what it says. */
async function elsewhere(shared: boolean): Promise<{ readonly child: ChildProcess; readonly said: unknown }> {
  const child = fork(HOLDER, [adapter, path, `${shared}`], { execArgv: [] })
  children.push(child)
  return { child, said: await message(child) }
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

/** Why no process can be started that sees other numbers of processes. */
const missing = ((): string | undefined => {
  if (process.platform !== 'linux') return 'needs namespaces of Linux'
  try {
    execFileSync('unshare', ['--pid', '--fork', 'true'], { stdio: 'pipe' })
    return undefined
  } catch {
    return 'needs the right to make a namespace'
  }
})()

describe('an LMDB store that is open', () => {
  for (const [first, second] of [
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ] as const) {
    const verdict = first && second ? 'is opened' : 'is not opened'
    const [one, other] = [first, second].map((shared) => (shared ? 'shared' : 'alone'))

    it(`${verdict} ${other} beside one that has it ${one}, in another process`, async () => {
      const { child, said } = await elsewhere(first)
      expect(said).toBe('held')
      expect(here(second)).toMatch(first && second ? /^held$/ : REFUSED)
      expect((await elsewhere(second)).said).toMatch(first && second ? /^held$/ : REFUSED)
      const closed = message(child)
      child.send('close')
      expect(await closed).toBe('closed')
      if (!second) expect((await elsewhere(second)).said).toBe('held')
    })

    it(`is opened ${other} at once when the one that had it ${one} is killed`, async () => {
      const { child } = await elsewhere(first)
      await kill(child)
      expect(here(second)).toBe('held')
      const { child: next, said } = await elsewhere(second)
      expect(said).toBe('held')
      await kill(next)
    })
  }

  it('is opened by many that share it at the same moment, whatever was before', async () => {
    const alone = await elsewhere(false)
    await kill(alone.child)
    const said = await Promise.all(Array.from({ length: 4 }, async () => (await elsewhere(true)).said))
    expect(said).toEqual(['held', 'held', 'held', 'held'])
  })

  it('is opened by one of many that want it alone', async () => {
    const said = await Promise.all(Array.from({ length: 4 }, async () => (await elsewhere(false)).said))
    expect(said.filter((word) => word === 'held')).toHaveLength(1)
    for (const word of said) if (word !== 'held') expect(word).toMatch(REFUSED)
  })

  it('is let go of by one that was killed beside others', async () => {
    const [killed, living] = [await elsewhere(true), await elsewhere(true)]
    await kill(killed.child)
    expect(here(false)).toMatch(REFUSED)
    await kill(living.child)
    expect(here(false)).toBe('held')
  })

  it.skipIf(missing !== undefined)(
    `is not opened by a process with the same number in another namespace, and is when that one is killed${missing ? ` (${missing})` : ''}`,
    async () => {
      const contained = (): Promise<{ readonly child: ChildProcess; readonly said: string }> =>
        new Promise((resolve) => {
          const command = ['--pid', '--fork', '--kill-child', process.execPath, HOLDER, adapter, path, 'false']
          const child = spawn('unshare', command, { stdio: ['pipe', 'pipe', 'inherit'] })
          children.push(child)
          child.stdout.once('data', (said: Buffer) => resolve({ child, said: said.toString().trim() }))
        })
      const first = await contained()
      expect(first.said).toBe('held')
      expect((await contained()).said).toMatch(REFUSED)
      expect(here(false)).toMatch(REFUSED)
      await kill(first.child)
      await expect.poll(async () => (await contained()).said, { timeout: 60_000 }).toBe('held')
    },
  )
})
