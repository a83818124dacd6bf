import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { Barrier } from '../../../src/core/barrier/barrier.ts'
import { Deadline } from '../../../src/core/base/deadline.ts'
import { FORMAT_KEY } from '../../../src/core/storage/unfinished-store.ts'
import type { FormatStep } from '../../../src/core/transaction/format-step.ts'
import { Store } from '../../../src/core/transaction/store.ts'
import { STORE_FORMAT, upgradeFormat } from '../../../src/core/transaction/store-format.ts'
import {
  type Clock,
  createKernel,
  type Kernel,
  keySeal,
  memoryStorage,
  type Op,
  type Storage,
  systemClock,
} from '../../../src/index.ts'
import { Crashed, crashingStorage, seededEntropy } from '../../../src/testing/index.ts'
import { bytesOf, utf8 } from '../../property/support.ts'

const KEY = bytesOf(32, 97)
const put = (key: string, text: string): Op => ({ op: 'put', key, value: utf8(text) })
/** The time of day is fixed, but waiting for other processes uses real time. */
const clockAt = (now: number): Clock => ({ now: () => now, sleep: (ms, signal) => systemClock.sleep(ms, signal) })
const text = async (storage: Storage, key: string): Promise<string | undefined> => {
  const entry = await storage.get(key)
  return entry && Buffer.from(entry.value).toString('utf8')
}
const formatIn = async (storage: Storage): Promise<unknown> => JSON.parse((await text(storage, FORMAT_KEY)) ?? 'null')

const fresh = async (): Promise<Storage> => {
  const storage = memoryStorage()
  await (await createKernel({ storage, seal: keySeal(KEY), initialize: true })).close()
  return storage
}

describe('a store of format 2', () => {
  const open = async () => {
    const fixture = JSON.parse(await readFile(new URL('../../fixtures/store-format-2.json', import.meta.url), 'utf8'))
    const storage = memoryStorage()
    for (const [key, value] of Object.entries<string>(fixture.entries))
      await storage.commit([{ op: 'put', key, value: Buffer.from(value, 'base64') }], key)
    const seal = keySeal(Buffer.from(fixture.seal_key, 'base64'))
    const clock = clockAt(fixture.made + 60_000)
    return { fixture, storage, reopen: () => createKernel({ storage, seal, clock }) }
  }

  const readAll = async (kernel: Kernel, fixture: Awaited<ReturnType<typeof open>>['fixture']) => {
    const ask = async (method: string, path: string, token: string, body?: object) => {
      const reply = await kernel.handle({ method, path, headers: { 'X-Service-Token': token }, ...(body ? { body } : {}) })
      return [reply.status, (reply.body as { data?: Record<string, unknown> } | undefined)?.data]
    }
    const { transit } = fixture
    const decrypt = async (ciphertext: string, associated_data?: Uint8Array) =>
      Buffer.from(
        (await kernel.transit.decrypt({ name: transit.key, ciphertext, ...(associated_data ? { associated_data } : {}) }))
          .plaintext,
      ).toString()
    expect(await decrypt(transit.first)).toBe('sealed by version 1')
    expect(await decrypt(transit.second, utf8(transit.associated_data))).toBe('sealed by version 2')
    const { signature } = transit
    expect((await kernel.transit.verify({ name: 'receipts', input: utf8('paid'), signature })).valid).toBe(true)
    expect(await ask('GET', '/v1/secret/app/database', fixture.token.id)).toEqual([
      200,
      { user: 'app', password: 'kept in version 1' },
    ])
    expect((await ask('GET', '/v1/secret/other', fixture.token.id))[0]).toBe(403)
    const [status, self] = await ask('POST', '/v1/auth/token/lookup', fixture.root_token, { token: fixture.token.id })
    expect([status, self]).toMatchObject([200, { accessor: fixture.token.accessor, policies: ['readers'] }])
    for (const version of [1, 2]) {
      const { data } = await kernel.kv2.at('versioned/').readSecret({ path: 'api', version })
      expect(data).toEqual({ key: version === 1 ? 'first' : 'second' })
    }
    expect(await ask('GET', '/v1/team/secret/one', fixture.root_token)).toEqual([200, { of: 'the team' }])
  }

  it('opens with all its data, and has the newest format afterwards', async () => {
    const { fixture, storage, reopen } = await open()
    for (let opened = 1; opened <= 2; opened++) {
      const kernel = await reopen()
      await readAll(kernel, fixture)
      await kernel.close()
      expect(await formatIn(storage)).toEqual({ format: STORE_FORMAT })
    }
  })

  it('opens after a crash at any commit of the upgrade', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let crashAt = 1, crashed = true; crashed; crashAt++) {
        const { fixture, storage, reopen } = await open()
        const dying = crashingStorage(storage, { crashAt, when })
        const seal = keySeal(Buffer.from(fixture.seal_key, 'base64'))
        const [first] = await Promise.allSettled([createKernel({ storage: dying, seal, clock: clockAt(fixture.made) })])
        crashed = dying.crashed
        expect(crashed).toBe(first.status === 'rejected')
        await readAll(await reopen(), fixture)
        expect(await formatIn(storage)).toEqual({ format: STORE_FORMAT })
      }
    }
  })

  it('is upgraded without loss if several kernels open it at the same time', async () => {
    const { fixture, storage, reopen } = await open()
    for (const kernel of await Promise.all([reopen(), reopen(), reopen()])) await readAll(kernel, fixture)
    expect(await formatIn(storage)).toEqual({ format: STORE_FORMAT })
  })
})

describe('a store that a newer release has written', () => {
  it.each([{ format: STORE_FORMAT + 1 }, { format: STORE_FORMAT, upgrading: STORE_FORMAT + 1 }])(
    'is refused before the seal is called and is not changed: %j',
    async (stamp) => {
      const storage = await fresh()
      await storage.commit([put(FORMAT_KEY, JSON.stringify(stamp))], 'newer')
      const before = await storage.scan('')
      let isUnwrapCalled = false
      const seal = {
        ...keySeal(KEY),
        unwrap: async () => {
          isUnwrapCalled = true
          return KEY
        },
      }
      await expect(createKernel({ storage, seal, initialize: true })).rejects.toThrow(
        `the store has format ${STORE_FORMAT + 1}; this release reads formats up to ${STORE_FORMAT}: a newer release has written it`,
      )
      expect(isUnwrapCalled).toBe(false)
      expect(await storage.scan('')).toEqual(before)
    },
  )

  it('seals a kernel that had it open before the newer release began its upgrade', async () => {
    const storage = memoryStorage()
    const kernel = await createKernel({ storage, seal: keySeal(KEY), initialize: true })
    await storage.commit([put(FORMAT_KEY, JSON.stringify({ format: STORE_FORMAT, upgrading: STORE_FORMAT + 1 }))], 'newer')
    await new Promise((resolve) => setImmediate(resolve))
    expect(kernel.seal.state).toBe('sealed')
    await expect(kernel.seal.unseal()).rejects.toThrow('a newer release has written it')
    await kernel.close()
  })
})

describe('a store of a format without an upgrade step', () => {
  it('is refused', async () => {
    const storage = await fresh()
    await storage.commit([put(FORMAT_KEY, '{"format":1}')], 'older')
    await expect(createKernel({ storage, seal: keySeal(KEY) })).rejects.toThrow(
      'the store has format 1, which no release ever wrote',
    )
  })
})

describe('format upgrade steps', () => {
  /** Moves the records below `old/` in commits of two. */
  const move: FormatStep = {
    to: STORE_FORMAT + 1,
    needs: 'nothing',
    async run({ store, commit }) {
      for (;;) {
        const page = await store.storage.scan('old/', { limit: 2 })
        const ops = page.flatMap(({ key, value, version }): Op[] => [
          { op: 'put', key: key.replace('old', 'new'), value },
          { op: 'del', key, expect: version },
        ])
        if (page.length < 2) return ops
        await commit(ops)
      }
    },
  }
  const add: FormatStep = {
    to: STORE_FORMAT + 2,
    needs: 'barrier',
    run: async () => [{ op: 'put', key: 'added', value: utf8('once'), expect: 0 }],
  }
  const steps = [move, add]
  const start = async (): Promise<Storage> => {
    const storage = memoryStorage()
    const olds = ['a', 'b', 'c', 'd', 'e'].map((name) => put(`old/${name}`, name))
    await storage.commit([put(FORMAT_KEY, JSON.stringify({ format: STORE_FORMAT })), ...olds], 'start')
    return storage
  }
  let opened = 0
  const storeOf = (storage: Storage): Store => {
    const entropy = seededEntropy(`store format ${opened++}`)
    return new Store({
      storage,
      barrier: new Barrier(entropy),
      clock: systemClock,
      entropy,
      deadline: new Deadline(systemClock, 1000, new AbortController().signal),
    })
  }
  const done = async (storage: Storage): Promise<void> => {
    expect(await storage.list('')).toEqual(['added', FORMAT_KEY, 'new/a', 'new/b', 'new/c', 'new/d', 'new/e'])
    expect(await text(storage, 'new/c')).toBe('c')
    expect(await formatIn(storage)).toEqual({ format: STORE_FORMAT + 2 })
  }

  it('that need the barrier run once the barrier is open', async () => {
    const storage = await start()
    await upgradeFormat(storeOf(storage), false, steps)
    expect(await formatIn(storage)).toEqual({ format: STORE_FORMAT + 1 })
    await upgradeFormat(storeOf(storage), true, steps)
    await done(storage)
  })

  it('continue after a crash, and older releases refuse the store in between', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let crashAt = 1; ; crashAt++) {
        const storage = await start()
        const dying = crashingStorage(storage, { crashAt, when })
        const [first] = await Promise.allSettled([upgradeFormat(storeOf(dying), true, steps)])
        const halfDone = (await storage.list('new/')).length > 0
        if (halfDone) await expect(upgradeFormat(storeOf(storage), true)).rejects.toThrow('a newer release has written it')
        await upgradeFormat(storeOf(storage), true, steps)
        await done(storage)
        if (first.status === 'fulfilled') break
        expect(first.reason.cause).toBeInstanceOf(Crashed)
      }
    }
  })

  it('leave the correct result if they run four times at the same time', async () => {
    const storage = await start()
    await Promise.all([1, 2, 3, 4].map(() => upgradeFormat(storeOf(storage), true, steps)))
    await done(storage)
  })
})
