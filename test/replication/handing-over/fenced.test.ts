/** A former primary that hears of a newer epoch writes nothing more, in none of its processes. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { lmdbStorage } from '../../../src/adapters/storage-lmdb/index.ts'
import { type Kernel, KernelError, memoryStorage, type Storage } from '../../../src/index.ts'
import { startChild } from '../../fixtures/child.ts'
import { compiled } from '../../fixtures/compiled.ts'
import type { Told } from './second.child.ts'
import { enable, follow, KINDS, type KindOfSet, sideOf, ticked, World } from './world.ts'

const PROGRAM = 'test/replication/handing-over/second.child.ts'

const world = new World()

beforeAll(() => {
  compiled(PROGRAM)
}, 120_000)

afterEach(async () => {
  world.cut.clear()
  await world.close()
})

const REFUSALS: Readonly<Record<KindOfSet, string>> = { performance: 'ERR_READ_ONLY', dr: 'ERR_DR_SECONDARY' }

interface Writer {
  readonly wrote: string[]
  readonly refused: Promise<KernelError>
}

/** Writes one after the other until it is refused. */
function writer(kernel: Kernel, name: string): Writer {
  const wrote: string[] = []
  const run = async (): Promise<KernelError> => {
    for (let n = 0; ; n++) {
      const path = `${name}-${n}`
      try {
        await kernel.kv.writeSecret({ path, data: { n } })
        wrote.push(path)
        // On memory a write takes no turn of the event loop.
        await turn()
      } catch (error) {
        if (error instanceof KernelError) return error
        throw error
      }
    }
  }
  return { wrote, refused: run() }
}

/** A primary, which has been replaced without knowing it, and a member of its set that knows. */
async function replaced(storage: Storage, kind: KindOfSet): Promise<{ readonly former: Kernel; readonly member: Kernel }> {
  const former = await world.open('a', { storage })
  await enable(former, kind)
  const [successor, member] = [await world.open('b'), await world.open('c')]
  await follow(successor, former, kind, 'b')
  await follow(member, former, kind, 'c')
  world.cut.add('a')
  await sideOf(successor, kind).promote()
  const { wrap_info } = await sideOf(successor, kind).createSecondaryToken({ id: 'c' })
  await sideOf(member, kind).updatePrimary({ token: wrap_info?.token ?? '' })
  await ticked(member)
  world.cut.clear()
  return { former, member }
}

/** Somebody gives the member a token of the former primary, whom it greets. */
async function greet(member: Kernel, former: Kernel, kind: KindOfSet): Promise<void> {
  const { wrap_info } = await sideOf(former, kind).createSecondaryToken({ id: 'again' })
  await sideOf(member, kind).updatePrimary({ token: wrap_info?.token ?? '' })
  await member.tick()
}

describe.each(KINDS)('a higher epoch (%s)', (kind) => {
  it('ends the writes of two kernels on one store at one commit', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const { former, member } = await replaced(storage, kind)
    const second = await world.open('a', { storage })
    const writers = [writer(former, 'one'), writer(second, 'two')]
    await expect.poll(() => writers.every(({ wrote }) => wrote.length > 3)).toBe(true)
    await greet(member, former, kind)
    for (const { refused } of writers) expect((await refused).code).toBe(REFUSALS[kind])
    for (const kernel of [former, second]) {
      expect((await sideOf(kernel, kind).readStatus()).mode).toBe('secondary')
      await expect(kernel.kv.writeSecret({ path: 'late', data: { a: 1 } })).rejects.toMatchObject({ code: REFUSALS[kind] })
    }
    // What was answered is there, to be given up when it follows again.
    if (kind === 'performance') for (const path of writers.flatMap(({ wrote }) => wrote)) await former.kv.readSecret({ path })
  })

  it('ends the writes of another process', { timeout: 60_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'strongroom-fenced-'))
    const path = join(directory, 'store')
    const storage = lmdbStorage({ path, shared: true })
    const { former, member } = await replaced(storage, kind)
    const child = startChild(PROGRAM, { path, seal: world.sealOf('a') })
    const told: Told[] = []
    let greeted: Promise<void> | undefined
    for await (const one of child.told as AsyncIterable<Told>) {
      told.push(one)
      if (told.length === 5) greeted = greet(member, former, kind)
      if (one.tells === 'refused') break
    }
    await greeted
    child.tell('end')
    expect(told.at(-1)).toEqual({ tells: 'refused', code: REFUSALS[kind], status: 400 })
    await child.ended
    await world.close()
    await storage.close()
    await rm(directory, { recursive: true })
  })

  it('ends the wait for an acknowledgement at once', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const { former, member } = await replaced(storage, kind)
    const waiting = await world.open('a', { storage, replication: { ack: { sync: 1, timeout: 600_000 } } })
    await waiting.tick()
    await former.close()
    const write = expect(waiting.kv.writeSecret({ path: 'lost', data: { a: 1 } })).rejects.toMatchObject({
      code: 'ERR_NOT_ACKNOWLEDGED',
    })
    await greet(member, waiting, kind)
    await write
  })
})
