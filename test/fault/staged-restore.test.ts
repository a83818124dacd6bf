/**
 * Restoring a key with more versions than one commit holds: versions are committed before the ring. A partly restored key is never visible,
 * and the next ticks delete what an interrupted restore has left.
 */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../src/index.ts'
import { Crashed, chaoticStorage, crashingStorage, fakeClock, seededEntropy } from '../../src/testing/index.ts'
import { manyVersions } from '../fixtures/backups.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { LMDB, SMALL_COMMITS } from '../fixtures/stores.ts'
import { bytesOf } from '../property/support.ts'

const KEY = bytesOf(32, 61)
const MAX_OPS = 128
const HOUR = 3_600_000
/** Milliseconds that a kernel waits before it takes over the claim of a dead process. */
const TAKEOVER = 31_000
/** More versions than two commits hold, and few enough to crash at each commit. */
const FEW = 300
const MANY = 2000

const kernels: Kernel[] = []
afterEach(async () => {
  for (const kernel of kernels.splice(0)) await kernel.close()
})

async function openOn(storage: Storage, more: object = {}): Promise<Kernel> {
  const kernel = await createKernel({ storage, seal: keySeal(KEY), initialize: true, ...more })
  kernels.push(kernel)
  return kernel
}

/** Fails if a commit has more ops than allowed, whatever the storage accepts. */
function watched(inner: Storage): Storage & { readonly largest: number } {
  let largest = 0
  return {
    ...inner,
    commit: (ops, id) => {
      largest = Math.max(largest, ops.length)
      return inner.commit(ops, id)
    },
    get largest() {
      return largest
    },
  }
}

const keysOf = async (storage: Storage): Promise<string[]> => (await storage.scan('')).map(({ key }) => key)
const materialIn = async (storage: Storage) => (await keysOf(storage)).filter((key) => key.split('/')[2] === 'material').length
const housekeepingIn = async (storage: Storage) => (await storage.list('l/due/housekeeping/')).length

/** Ticks until no housekeeping is left, one hour later. */
async function clear(kernel: Kernel, storage: Storage, clock: { advance(ms: number): unknown }): Promise<void> {
  await clock.advance(HOUR)
  for (let round = 0; round < 50 && (await housekeepingIn(storage)) > 0; round++) {
    expect((await kernel.tick()).failed).toEqual([])
    await clock.advance(TAKEOVER)
  }
  expect(await housekeepingIn(storage)).toBe(0)
}

async function expectWhole(kernel: Kernel, name: string, count: number): Promise<void> {
  const plaintext = bytesOf(5, 5)
  for (const key_version of [1, Math.floor(count / 2), count]) {
    const { ciphertext } = await kernel.transit.encrypt({ name, key_version, plaintext })
    expect((await kernel.transit.decrypt({ name, ciphertext })).plaintext).toEqual(plaintext)
  }
  const { keys } = await kernel.transit.exportKey({ key_type: 'encryption-key', name })
  expect(Object.keys(keys).length).toBe(count)
  for (const version of [1, count]) expect(keys[version]).toBe(Buffer.from(bytesOf(32, version)).toString('base64'))
}

describe.each([SMALL_COMMITS, LMDB])('a transit key with thousands of versions on $name', (store) => {
  it('is restored, replaced, trimmed and deleted in several small commits', async () => {
    const { storage: inner, drop } = await store.open()
    const storage = watched(inner)
    const clock = movingClock()
    const kernel = await openOn(storage, { clock })
    const backup = manyVersions('aes', MANY, { deletion_allowed: true, auto_rotate_period: 7200e9 })
    await kernel.transit.restoreKey({ backup })
    expect(await housekeepingIn(storage)).toBe(0)
    await expectWhole(kernel, 'planted', MANY)

    const second = await kernel.transit.backupKey({ name: 'planted' })
    await kernel.transit.restoreKey({ backup: second.backup, force: true })
    await expectWhole(kernel, 'planted', MANY)
    await clear(kernel, storage, clock)
    expect(await materialIn(storage)).toBe(MANY + 1)

    await kernel.transit.rotateKey({ name: 'planted' })
    const bound = MANY - 10
    await kernel.transit.configureKey({ name: 'planted', min_encryption_version: bound, min_decryption_version: bound })
    await kernel.transit.trimKey({ name: 'planted', min_available_version: bound })
    await clear(kernel, storage, clock)
    expect(await materialIn(storage)).toBeLessThan(20)

    await kernel.transit.restoreKey({ backup, name: 'other' })
    await kernel.transit.deleteKey({ name: 'other' })
    await kernel.transit.deleteKey({ name: 'planted' })
    await clear(kernel, storage, clock)
    expect(await materialIn(storage)).toBe(0)
    expect(storage.largest).toBeLessThanOrEqual(MAX_OPS)
    await kernels.pop()?.close()
    await drop()
  })
})

describe('a crash of the process during a restore of many key versions', () => {
  let backup: string
  beforeAll(() => {
    backup = manyVersions('aes', FEW)
  })

  /** Counts the commits of a restore on a copy of the store. */
  async function commitsOf(start: Storage): Promise<{ before: number; after: number }> {
    const storage = crashingStorage(await copyOf(start))
    const kernel = await openOn(storage, { clock: fakeClock() })
    const before = storage.commits
    await kernel.transit.restoreKey({ backup, force: true })
    return { before, after: storage.commits }
  }

  async function copyOf(storage: Storage): Promise<Storage> {
    const copy = memoryStorage({ maxOps: MAX_OPS })
    for (const { key, value } of await storage.scan('')) await copy.commit([{ op: 'put', key, value }], key)
    return copy
  }

  it.each([
    ['before', 'new'],
    ['after', 'new'],
    ['before', 'there already'],
    ['after', 'there already'],
  ] as const)(
    'leaves the previous state or the complete key if it happens %s any commit takes effect (before the restore, the key is %s)',
    async (when, existing) => {
      const start = memoryStorage({ maxOps: MAX_OPS })
      const maker = await openOn(start, { clock: fakeClock() })
      if (existing === 'there already') await maker.transit.createKey({ name: 'planted', type: 'chacha20-poly1305' })
      const least = existing === 'there already' ? 1 : 0
      const { before, after } = await commitsOf(start)
      expect(after - before).toBeGreaterThan(3)
      for (let crashAt = before + 1; crashAt <= after; crashAt++) {
        const inner = await copyOf(start)
        const clock = fakeClock()
        const dying = await openOn(crashingStorage(inner, { crashAt, when }), { clock })
        await expect(dying.transit.restoreKey({ backup, force: true })).rejects.toMatchObject({ cause: expect.any(Crashed) })
        const kernel = await openOn(inner, { clock })
        const done = crashAt === after && when === 'after'
        if (done) await expectWhole(kernel, 'planted', FEW)
        else if (least === 1) expect(await kernel.transit.readKey({ name: 'planted' })).toMatchObject({ latest_version: 1 })
        else await expect(kernel.transit.readKey({ name: 'planted' })).rejects.toMatchObject({ status: 404 })
        await clear(kernel, inner, clock)
        expect(await materialIn(inner)).toBe(done ? FEW : least)
        if (!done) await kernel.transit.restoreKey({ backup, force: true })
        await expectWhole(kernel, 'planted', FEW)
      }
    },
  )
})

describe('two concurrent restores of one key name', () => {
  it.each([
    ['without force', false],
    ['with force', true],
  ] as const)('leave one complete key (%s)', async (_, force) => {
    const inner = memoryStorage({ maxOps: MAX_OPS })
    const clock = movingClock()
    const line = (side: string) => chaoticStorage(inner, { entropy: seededEntropy(side) })
    const first = await openOn(line('first'), { clock })
    const second = await openOn(line('second'), { clock })
    const backup = manyVersions('aes', FEW)
    const outcomes = await Promise.allSettled(
      [first, second, first].map((kernel) => kernel.transit.restoreKey({ backup, force })),
    )
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused.length).toBe(force ? 0 : 2)
    for (const reason of refused) expect(reason).toMatchObject({ status: 400 })
    const witness = await openOn(inner, { clock })
    await expectWhole(witness, 'planted', FEW)
    await clear(witness, inner, clock)
    expect(await materialIn(inner)).toBe(FEW)
    await expectWhole(witness, 'planted', FEW)
  })
})

describe('key versions that a restore stores before its last commit', () => {
  /** Runs an action once, directly before the n-th next commit. */
  function interrupted(inner: Storage): Storage & { at(commit: number, act: () => Promise<unknown>): void } {
    let left = 0
    let act = async (): Promise<unknown> => undefined
    return {
      ...inner,
      async commit(ops, id) {
        if (--left === 0) await act()
        return inner.commit(ops, id)
      },
      at(commit, action) {
        left = commit
        act = action
      },
    }
  }

  it.each([2, 3, 4])('are stored again if a cleanup in another process has deleted them before commit %i', async (commit) => {
    const inner = memoryStorage({ maxOps: MAX_OPS })
    const clock = movingClock()
    const storage = interrupted(inner)
    const kernel = await openOn(storage, { clock })
    const otherKernel = await openOn(inner, { clock })
    storage.at(commit, async () => {
      await clock.advance(HOUR)
      expect((await otherKernel.tick()).done).toBeGreaterThan(0)
    })
    await kernel.transit.restoreKey({ backup: manyVersions('aes', FEW) })
    await expectWhole(kernel, 'planted', FEW)
    await clear(otherKernel, inner, clock)
    expect(await materialIn(inner)).toBe(FEW)
    await expectWhole(otherKernel, 'planted', FEW)
  })

  it('are deleted if the mount is removed during the restore', async () => {
    const inner = memoryStorage({ maxOps: MAX_OPS })
    const clock = movingClock()
    const storage = interrupted(inner)
    const kernel = await openOn(storage, { clock })
    storage.at(3, () => kernel.mounts.deleteMount({ path: 'transit' }))
    await expect(kernel.transit.restoreKey({ backup: manyVersions('aes', FEW) })).rejects.toMatchObject({ status: 404 })
    await clear(kernel, inner, clock)
    expect(await materialIn(inner)).toBe(0)
  })
})
