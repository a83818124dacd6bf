import { describe, expect, it } from 'vitest'
import { createConfigService } from '../../../src/config-service.ts'
import { Barrier } from '../../../src/core/barrier/barrier.ts'
import { Deadline } from '../../../src/core/base/deadline.ts'
import { FORMAT_KEY } from '../../../src/core/storage/unfinished-store.ts'
import { Store } from '../../../src/core/transaction/store.ts'
import { type FormatStep, STORE_FORMAT, upgradeFormat } from '../../../src/core/transaction/store-format.ts'
import { type Clock, createKernel, keySeal, memoryStorage, type Op, type Storage, systemClock } from '../../../src/index.ts'
import { Crashed, crashingStorage, seededEntropy } from '../../../src/testing/index.ts'
import { bytesOf, utf8 } from '../../property/support.ts'

const KEY = bytesOf(32, 97)
const put = (key: string, text: string): Op => ({ op: 'put', key, value: utf8(text) })
const putStamp = (stamp: object): Op => put(FORMAT_KEY, JSON.stringify(stamp))
const text = async (storage: Storage, key: string): Promise<string | undefined> => {
  const entry = await storage.get(key)
  return entry && Buffer.from(entry.value).toString('utf8')
}
const formatIn = async (storage: Storage): Promise<unknown> => JSON.parse((await text(storage, FORMAT_KEY)) ?? 'null')

/** Creates a store and closes its kernel. */
async function fresh(): Promise<Storage> {
  const storage = memoryStorage()
  await (await createKernel({ storage, seal: keySeal(KEY), initialize: true })).close()
  return storage
}

/** A seal that fails the test if it is called. */
const untouchedSeal = () => ({ ...keySeal(KEY), unwrap: () => expect.unreachable('the seal was called') })

describe('a new store', () => {
  it('has format 1', async () => {
    expect(STORE_FORMAT).toBe(1)
    expect(await formatIn(await fresh())).toEqual({ format: 1 })
    const storage = memoryStorage()
    await (await createConfigService({ storage, plaintext: true })).close()
    expect(await formatIn(storage)).toEqual({ format: 1 })
  })
})

describe('a store that a newer release has written', () => {
  it.each([{ format: 2 }, { format: 1, upgrading: 2 }, { format: 7, upgrading: 8 }])(
    'is refused before the seal is called and is not changed: %j',
    async (stamp) => {
      const storage = await fresh()
      await storage.commit([putStamp(stamp)], 'newer')
      const before = await storage.scan('')
      const options = { storage, seal: untouchedSeal() }
      const message = `the store has format ${stamp.upgrading ?? stamp.format}; this release reads formats up to 1: a newer release has written it`
      await expect(createKernel({ ...options, initialize: true })).rejects.toThrow(message)
      await expect(createConfigService(options)).rejects.toThrow(message)
      expect(await storage.scan('')).toEqual(before)
    },
  )
})

describe('a store without a valid stamp', () => {
  it.each([undefined, '', 'null', '{}', '{"format":0}', '{"format":"1"}', '{"format":1,"upgrading":1}', '{"format":1'])(
    'is refused and not changed: %s',
    async (stamp) => {
      const storage = await fresh()
      const op: Op = stamp === undefined ? { op: 'del', key: FORMAT_KEY } : put(FORMAT_KEY, stamp)
      await storage.commit([op], 'damage')
      const before = await storage.scan('')
      await expect(createKernel({ storage, seal: untouchedSeal(), initialize: true })).rejects.toThrow(
        "the stamp with the store's format is damaged or was written by another program",
      )
      expect(await storage.scan('')).toEqual(before)
    },
  )
})

describe('a format step', () => {
  /** The next release: it moves the records below `old/` in commits of two. */
  const move: FormatStep = async ({ store, commit }) => {
    for (;;) {
      const page = await store.page('old/', { limit: 2 })
      const ops = page.flatMap(({ key, value, version }): Op[] => [
        { op: 'put', key: key.replace('old', 'new'), value },
        { op: 'del', key, expect: version },
      ])
      if (page.length < 2) return ops
      await commit(ops)
    }
  }

  async function start(storage: Storage = memoryStorage()): Promise<Storage> {
    const olds = ['a', 'b', 'c', 'd', 'e'].map((name) => put(`old/${name}`, name))
    await storage.commit([putStamp({ format: 1 }), ...olds], 'start')
    return storage
  }

  /** Shortens the waits for other processes. */
  const clock: Clock = { now: systemClock.now, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 1), signal) }
  let opened = 0
  /** A process that has opened the store. */
  function storeOf(storage: Storage): Store {
    const entropy = seededEntropy(`store format ${opened++}`)
    const deadline = new Deadline(systemClock, 1000, new AbortController().signal)
    return new Store({ storage, barrier: new Barrier(entropy), clock, entropy, deadline })
  }
  const upgrade = (storage: Storage): Promise<void> => upgradeFormat(storeOf(storage), [move])

  async function checkMoved(storage: Storage, c = 'c'): Promise<void> {
    expect(await storage.list('old/')).toEqual([])
    expect(await storage.list('new/')).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(await text(storage, 'new/c')).toBe(c)
    expect(await formatIn(storage)).toEqual({ format: 2 })
  }

  it('is not run again after its last commit', async () => {
    const storage = await start()
    await upgrade(storage)
    await checkMoved(storage)
    const revision = await storage.revision()
    await upgrade(storage)
    expect(await storage.revision()).toBe(revision)
  })

  it('does not run on a store that was never initialized', async () => {
    const storage = memoryStorage()
    await upgrade(storage)
    expect(await storage.list('')).toEqual([])
  })

  it('continues after a crash at any commit, and after its first commit, releases that lack this step refuse the store', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let crashAt = 1; ; crashAt++) {
        const storage = await start()
        const [first] = await Promise.allSettled([upgrade(crashingStorage(storage, { crashAt, when }))])
        const isBegun = crashAt > 1 || when === 'after'
        expect(await storage.list('new/')).toHaveLength(Math.min(5, 2 * (when === 'after' ? crashAt : crashAt - 1)))
        if (isBegun) await expect(upgradeFormat(storeOf(storage))).rejects.toThrow('a newer release has written it')
        await upgrade(storage)
        await checkMoved(storage)
        if (first.status === 'fulfilled') break
        expect(first.reason.cause).toBeInstanceOf(Crashed)
      }
    }
  })

  it('leaves the correct result if four processes run it at the same time', async () => {
    const storage = await start()
    await Promise.all([1, 2, 3, 4].map(() => upgrade(storage)))
    await checkMoved(storage)
  })

  it('seals a kernel that has the store open, if the release of that kernel lacks this step', async () => {
    const storage = memoryStorage()
    const old = await createKernel({ storage, seal: keySeal(KEY), initialize: true })
    await start(storage)
    expect(old.seal.state).toBe('open')
    await expect(upgrade(crashingStorage(storage, { crashAt: 2 }))).rejects.toThrow()
    await new Promise((resolve) => setImmediate(resolve))
    expect(old.seal.state).toBe('sealed')
    await expect(old.seal.unseal()).rejects.toThrow('a newer release has written it')
    await old.close()
    await upgrade(storage)
    await checkMoved(storage)
  })

  it('moves the newest value if an older process writes to a record between its read and its commit', async () => {
    const inner = await start()
    let writes = 0
    const storage: Storage = {
      ...inner,
      async commit(ops, id) {
        if (++writes === 2) await inner.commit([put('old/c', 'changed')], 'by an older process')
        return inner.commit(ops, id)
      },
    }
    await upgrade(storage)
    await checkMoved(inner, 'changed')
  })

  it('fails if an older process does not stop writing', async () => {
    const inner = await start()
    let writes = 0
    const storage: Storage = {
      ...inner,
      async commit(ops, id) {
        await inner.commit([put('old/a', String(++writes))], `older ${writes}`)
        return inner.commit(ops, id)
      },
    }
    await expect(upgrade(storage)).rejects.toMatchObject({ code: 'ERR_UNAVAILABLE' })
    expect(writes).toBe(20)
    expect(await formatIn(inner)).toEqual({ format: 1 })
  })
})
