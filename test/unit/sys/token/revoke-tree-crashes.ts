import { beforeAll, expect, it } from 'vitest'
import { type Kernel, memoryStorage, type Storage } from '../../../../src/index.ts'
import { Crashed, crashingStorage, type FakeClock, fakeClock } from '../../../../src/testing/index.ts'
import { grow, lookSelf, NOTHING, openOn, remains, tickAll } from './support.ts'

/** The time after which other kernels take over the claim of a crashed process. */
const TAKEOVER = 31_000

/** Crashes at every `stride`th commit. */
export const crashSuite = (stride: number) => () => {
  let start: readonly { readonly key: string; readonly value: Uint8Array }[]
  let all: readonly string[]
  let commits = 0

  const copy = async (): Promise<Storage> => {
    const storage = memoryStorage({ maxOps: 1000 })
    for (const { key, value } of start) await storage.commit([{ op: 'put', key, value }], key)
    return storage
  }
  const work = async (kernel: Kernel): Promise<void> => {
    await kernel.tokens.revokeOrphan({ token: all[1] as string })
    await kernel.tokens.revokeToken({ token: all[0] as string })
    await tickAll(kernel)
  }

  beforeAll(async () => {
    const storage = memoryStorage()
    const kernel = await openOn(storage, fakeClock())
    all = await grow(kernel, 90, 8)
    for (const token of all.slice(0, 3)) await kernel.as(token).cubbyhole.writeEntry({ path: 'x', data: { a: 1 } })
    await kernel.close()
    start = await storage.scan('')
    const counted = crashingStorage(await copy())
    const first = await openOn(counted, fakeClock())
    await work(first)
    commits = counted.commits
    await first.close()
  })

  /** The first tick finds the claim of the crashed process, and the second one takes it over. */
  async function tickOver(kernel: Kernel, clock: FakeClock): Promise<void> {
    for (let round = 0; round < 3; round++) {
      await tickAll(kernel)
      await clock.advance(TAKEOVER)
    }
  }

  async function crashAt(at: number, when: 'before' | 'after'): Promise<void> {
    const inner = await copy()
    const clock: FakeClock = fakeClock()
    const dying = await openOn(crashingStorage(inner, { crashAt: at, when }), clock)
    // `tick` returns its failures; every other call rejects.
    await work(dying).catch((error: unknown) => {
      const failed = error instanceof Error && 'cause' in error ? error.cause : undefined
      if (!(failed instanceof Crashed) && !String(error).includes('expected')) throw error
    })
    const kernel = await openOn(inner, clock)
    await kernel.tokens.revokeOrphan({ token: all[1] as string }).catch(() => {})
    await kernel.tokens.revokeToken({ token: all[0] as string })
    // The children of the second token are orphans. The second token and all others are revoked.
    const children = await Promise.all(all.map((token) => lookSelf(kernel, token)))
    const orphans = all.filter((_, index) => children[index] === 200)
    expect(children.slice(0, 9)).toEqual(Array(9).fill(403))
    expect(orphans.length).toBeGreaterThan(0)
    await tickOver(kernel, clock)
    expect((await Promise.all(all.map((token) => lookSelf(kernel, token)))).join()).toBe(children.join())
    for (const token of orphans) await kernel.tokens.revokeToken({ token })
    await tickOver(kernel, clock)
    expect(await remains(inner)).toEqual(NOTHING)
    await kernel.close()
  }

  it.each(['before', 'after'] as const)('is repaired by later ticks, %s the commit takes effect', async (when) => {
    expect(commits).toBeGreaterThan(8)
    for (let at = 1; at <= commits; at += stride) {
      await crashAt(at, when).catch((error: unknown) => {
        throw new Error(`crash ${when} commit ${at} of ${commits}`, { cause: error })
      })
    }
  })
}
