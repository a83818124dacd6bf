/** A removed mount is refused immediately and purged in the background, and after a crash another kernel resumes the purge. */
import { describe, expect, it } from 'vitest'
import { type Commit, type Kernel, memoryStorage, type Op, type Storage } from '../../../../src/index.ts'
import { crashingStorage, fakeClock } from '../../../../src/testing/index.ts'
import { runs } from '../../../fixtures/runs.ts'
import { refusalOf, utf8 } from '../../../property/support.ts'
import { trackedCrypto } from '../../../security/recording.ts'
import { asker, keysOf, openOn } from './support.ts'

const MANY = runs({ quick: 700, soak: 100_000 })
/** Enough records for three steps of the purge. */
const SOME = 230
const CLAIM_MS = 31_000

async function fill(kernel: Kernel, path: string, count: number): Promise<string> {
  await kernel.mounts.createMount({ path, type: 'kv' })
  const kv = kernel.kv.at(path)
  for (let done = 0; done < count; done += 500) {
    const page = Array.from({ length: Math.min(500, count - done) }, (_, index) => done + index)
    await Promise.all(page.map((index) => kv.writeSecret({ path: `folder${index % 7}/s${index}`, data: { index } })))
  }
  return (await kernel.mounts.readMount({ path })).uuid
}

/** Records the number of operations in each commit. */
function watched(inner: Storage): { readonly storage: Storage; readonly sizes: number[] } {
  const sizes: number[] = []
  const commit = (ops: readonly Op[], id: string): Promise<Commit> => {
    sizes.push(ops.length)
    return inner.commit(ops, id)
  }
  return { storage: { ...inner, commit }, sizes }
}

async function tickUntilGone(kernel: Kernel, storage: Storage, uuid: string, advance: () => Promise<void>): Promise<number> {
  for (let ticks = 0; ; ticks++) {
    if ((await keysOf(storage, uuid)).length === 0) return ticks
    expect(ticks).toBeLessThan(20)
    expect((await kernel.tick()).failed).toEqual([])
    await advance()
  }
}

describe('a removed mount', () => {
  it(`answers 404 at once, and ticks purge its ${MANY} records in commits of at most 128 operations`, async () => {
    const { storage, sizes } = watched(memoryStorage())
    await using kernel = await openOn(storage)
    const uuid = await fill(kernel, 'large', MANY)
    const other = await fill(kernel, 'other', 3)
    sizes.length = 0
    await kernel.mounts.deleteMount({ path: 'large' })
    expect(sizes).toHaveLength(1)
    const ask = asker(kernel)
    for (const [method, path] of [
      ['GET', 'large/folder0/s0'],
      ['LIST', 'large'],
      ['POST', 'large/new'],
      ['DELETE', 'large/folder0/s0'],
    ] as const)
      expect(await ask(method, path, { v: 1 })).toMatchObject({ status: 404 })
    await kernel.mounts.createMount({ path: 'large', type: 'kv' })
    expect(await ask('GET', 'large/folder0/s0')).toMatchObject({ status: 404, errors: [] })
    expect(await ask('LIST', 'large')).toMatchObject({ status: 404 })

    const first = await kernel.tick({ limit: 2 })
    expect(first).toMatchObject({ done: 2, failed: [], more: true })
    const left = (await keysOf(storage, uuid)).length
    expect(left).toBeLessThan(MANY)
    expect(left).toBeGreaterThan(0)
    await tickUntilGone(kernel, storage, uuid, async () => {})
    expect(Math.max(...sizes)).toBeLessThanOrEqual(128)
    expect((await keysOf(storage, other)).length).toBeGreaterThanOrEqual(4)
    expect((await kernel.kv.at('other').readSecret({ path: 'folder1/s1' })).data).toEqual({ index: 1 })
    expect(await kernel.tick()).toMatchObject({ done: 0, failed: [], more: false })
  })

  it('causes no key rotation that was scheduled before its removal', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const clock = fakeClock()
    await using kernel = await openOn(storage, { clock })
    const { uuid } = await kernel.mounts.readMount({ path: 'transit' })
    await kernel.transit.createKey({ name: 'k', auto_rotate_period: '2h' })
    await kernel.mounts.deleteMount({ path: 'transit' })
    await kernel.tick()
    await clock.advance(3 * 3_600_000)
    expect((await kernel.tick()).failed).toEqual([])
    expect(await keysOf(storage, uuid)).toEqual([])
  })
})

describe('a crash during the removal of a mount', () => {
  it.each(['before', 'after'] as const)(
    'leaves the mount intact or lets the next kernel complete the removal, if it happens %s any commit takes effect',
    async (when) => {
      const total = await crashAt(undefined, when)
      expect(total).toBeGreaterThan(4)
      for (let commit = 1; commit <= total; commit++) await crashAt(commit, when)
    },
  )

  /** @returns The number of commits if `commit` is undefined, so nothing crashes. */
  async function crashAt(commit: number | undefined, when: 'before' | 'after'): Promise<number> {
    const inner = memoryStorage({ maxOps: 128 })
    const clock = fakeClock()
    const first = await openOn(inner, { clock })
    const uuid = await fill(first, 'doomed', SOME)
    await first.close()

    const storage = crashingStorage(inner, commit === undefined ? {} : { crashAt: commit, when })
    const doomed = await openOn(storage, { clock })
    const work = async () => {
      await doomed.mounts.deleteMount({ path: 'doomed' })
      const { failed } = await doomed.tick()
      if (failed.length > 0) throw failed[0]?.error
    }
    const [outcome] = await Promise.allSettled([work()])
    expect(outcome.status).toBe(commit === undefined ? 'fulfilled' : 'rejected')
    const { commits } = storage
    await doomed.close()

    await using kernel = await openOn(inner, { clock })
    const kv = kernel.kv.at('doomed')
    if ('doomed/' in (await kernel.mounts.listMounts()).mounts) {
      for (let index = 0; index < SOME; index += 37)
        expect((await kv.readSecret({ path: `folder${index % 7}/s${index}` })).data).toEqual({ index })
      expect((await keysOf(inner, uuid)).length).toBeGreaterThan(SOME)
      await kernel.mounts.deleteMount({ path: 'doomed' })
    }
    expect((await refusalOf(kv.readSecret({ path: 'folder0/s0' }))).status).toBe(404)
    await tickUntilGone(kernel, inner, uuid, () => clock.advance(CLAIM_MS))
    return commits
  }
})

describe('the keys of a removed mount in memory', () => {
  it('are wiped in every kernel that is notified of the removal', async () => {
    const storage = memoryStorage()
    const [crypto, otherCrypto] = [trackedCrypto(), trackedCrypto()]
    await using kernel = await openOn(storage, { crypto })
    await using otherKernel = await openOn(storage, { crypto: otherCrypto })
    await otherKernel.mounts.listMounts()
    const before = [crypto.alive, otherCrypto.alive]
    const { ciphertext } = await kernel.transit.encrypt({ name: 'k', plaintext: utf8('x') })
    await otherKernel.transit.decrypt({ name: 'k', ciphertext })
    expect(crypto.alive).toBeGreaterThan(before[0] ?? 0)
    expect(otherCrypto.alive).toBeGreaterThan(before[1] ?? 0)
    await kernel.mounts.deleteMount({ path: 'transit' })
    for (const each of [kernel, otherKernel])
      expect((await refusalOf(each.transit.decrypt({ name: 'k', ciphertext }))).status).toBe(404)
    expect([crypto.alive, otherCrypto.alive]).toEqual(before)
  })
})
