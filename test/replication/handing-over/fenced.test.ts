/** A former primary that learns of a newer epoch stops writing in all of its processes. */
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { type Kernel, KernelError, memoryStorage } from '../../../src/index.ts'
import { greet, REFUSALS, replaced } from './replaced.ts'
import { KINDS, sideOf, until, World } from './world.ts'

const world = new World()

afterEach(async () => {
  world.cut.clear()
  await world.close()
})

interface Writer {
  readonly wrote: string[]
  readonly refused: Promise<KernelError>
}

/** Writes repeatedly until a write is refused. */
function writer(kernel: Kernel, name: string): Writer {
  const wrote: string[] = []
  const run = async (): Promise<KernelError> => {
    for (let n = 0; ; n++) {
      const path = `${name}-${n}`
      try {
        await kernel.kv.writeSecret({ path, data: { n } })
        wrote.push(path)
        // A write to memory takes no turn of the event loop.
        await turn()
      } catch (error) {
        if (error instanceof KernelError) return error
        throw error
      }
    }
  }
  return { wrote, refused: run() }
}

describe.each(KINDS)('proof of a higher epoch, sent to a former primary (%s),', (kind) => {
  it('ends the writes of all its kernels at one commit', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const { former, member } = await replaced(world, storage, kind)
    const second = await world.open('a', { storage })
    const writers = [writer(former, 'one'), writer(second, 'two')]
    await until(() => writers.every(({ wrote }) => wrote.length > 3))
    await greet(member, former, kind)
    for (const { refused } of writers) expect((await refused).code).toBe(REFUSALS[kind])
    for (const kernel of [former, second]) {
      expect((await sideOf(kernel, kind).readStatus()).mode).toBe('secondary')
      await expect(kernel.kv.writeSecret({ path: 'late', data: { a: 1 } })).rejects.toMatchObject({ code: REFUSALS[kind] })
    }
    // Acknowledged writes still exist, and will be lost writes when the cluster follows again.
    if (kind === 'performance') for (const path of writers.flatMap(({ wrote }) => wrote)) await former.kv.readSecret({ path })
  })

  it('fails a write that waits for an acknowledgement immediately', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const { former, member } = await replaced(world, storage, kind)
    const waiting = await world.open('a', { storage, replication: { ack: { sync: 1, timeoutMs: 600_000 } } })
    await waiting.tick()
    await former.close()
    const write = expect(waiting.kv.writeSecret({ path: 'lost', data: { a: 1 } })).rejects.toMatchObject({
      code: 'ERR_NOT_ACKNOWLEDGED',
    })
    await greet(member, waiting, kind)
    await write
  })
})
