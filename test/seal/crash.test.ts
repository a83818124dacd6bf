/**
 * A process dies at the n-th commit of every operation that changes keys, for every n, before and after the commit takes effect. The store
 * must open with the old or with the new shares or key, and must still contain its data.
 */
import { describe, expect, it } from 'vitest'
import {
  type AnySeal,
  createDevKernel,
  type Kernel,
  KernelError,
  keySeal,
  memoryStorage,
  type Storage,
  shamirSeal,
} from '../../src/index.ts'
import { Crashed, crashingStorage } from '../../src/testing/index.ts'
import { copyOf, fill, giveAll, K1, K2, openWith, shares, termsIn } from './support.ts'

interface Work {
  readonly what: string
  /** The seal of the store before the operation. */
  readonly before: AnySeal
  readonly initialize: object
  /** Opens the store with the seal that it had before, and runs the operation. */
  run(storage: Storage, keys: readonly string[], token: string): Promise<void>
  /** Ways to open the store from before and after the operation; at least one of them must work. */
  readonly ways: readonly ((storage: Storage, keys: readonly string[]) => Promise<Kernel>)[]
}

const TWO = { secret_shares: 3, secret_threshold: 2 }
const TWO_RECOVERY = { recovery_shares: 3, recovery_threshold: 2 }

const byShares =
  (more: object = {}, options: object = {}, seal = shamirSeal() as AnySeal) =>
  async (storage: Storage, keys: readonly string[]): Promise<Kernel> => {
    const kernel = await openWith(storage, seal, options)
    if (kernel.seal.state !== 'open') await giveAll(kernel, keys.slice(1, 3), more)
    return kernel
  }
const byKey =
  (seal: AnySeal) =>
  async (storage: Storage): Promise<Kernel> =>
    openWith(storage, seal)

const changes: readonly (readonly [string, (kernel: Kernel, token: string) => Promise<unknown>])[] = [
  ['a rotation of the barrier key', (kernel) => kernel.seal.rotate()],
  ['a rotation of the root key', (kernel) => kernel.seal.rotateRootKey()],
  [
    'two rotations and a re-encryption of all records',
    async (kernel) => {
      await kernel.seal.rotate()
      await kernel.seal.rotate()
      await kernel.seal.reencrypt()
    },
  ],
  [
    'the sealing of all processes',
    async (kernel, token) => {
      const { status } = await kernel.handle({ method: 'PUT', path: '/v1/sys/seal', headers: { 'X-Service-Token': token } })
      if (status !== 204) throw new KernelError('ERR_UNAVAILABLE', `answered ${status}`, { cause: new Crashed() })
    },
  ],
]

const WORK: readonly Work[] = [
  ...changes.map(
    ([what, change]): Work => ({
      what: `${what} under shares`,
      before: shamirSeal(),
      initialize: TWO,
      run: async (storage, keys, token) => {
        await change(await byShares()(storage, keys), token)
      },
      ways: [byShares()],
    }),
  ),
  ...changes.map(
    ([what, change]): Work => ({
      what: `${what} under an automatic seal`,
      before: keySeal(K1),
      initialize: TWO_RECOVERY,
      run: async (storage, _, token) => {
        await change(await byKey(keySeal(K1))(storage), token)
      },
      ways: [byKey(keySeal(K1))],
    }),
  ),
  {
    what: 'a migration from shares to an automatic seal',
    before: shamirSeal(),
    initialize: TWO,
    run: async (storage, keys) => void (await byShares({ migrate: true }, {}, keySeal(K1))(storage, keys)),
    ways: [byShares(), byKey(keySeal(K1))],
  },
  {
    what: 'a migration from an automatic seal to shares',
    before: keySeal(K1),
    initialize: TWO_RECOVERY,
    run: async (storage, keys) => void (await byShares({ migrate: true }, { previousSeal: keySeal(K1) })(storage, keys)),
    ways: [byKey(keySeal(K1)), byShares()],
  },
  {
    what: 'a change of the key of a static seal',
    before: keySeal(K1),
    initialize: TWO_RECOVERY,
    run: async (storage) => void (await openWith(storage, keySeal(K2, { previous: [K1] }))),
    ways: [byKey(keySeal(K1)), byKey(keySeal(K2))],
  },
]

describe.each(WORK)('a process that dies during $what', ({ before, initialize, run, ways }) => {
  it('leaves a store that another process can open, at whichever commit it dies', async () => {
    const start = memoryStorage({ maxOps: 128 })
    const first = await openWith(start, before)
    const made = await first.seal.initialize(initialize)
    const keys = made.keys.length > 0 ? made.keys : (made.recovery_keys as readonly string[])
    if (first.seal.state !== 'open') await giveAll(first, shares(made, 0, 1))
    const kept = await fill(first)
    await first.close()

    const whole = crashingStorage(await copyOf(start))
    await run(whole, keys, made.root_token)
    expect(whole.commits).toBeGreaterThan(0)
    for (let crashAt = 1; crashAt <= whole.commits; crashAt++) {
      for (const when of ['before', 'after'] as const) {
        const store = await copyOf(start)
        const dying = crashingStorage(store, { crashAt, when })
        await run(dying, keys, made.root_token).catch((error: unknown) => {
          expect(error).toMatchObject({ name: 'KernelError', status: 503, cause: expect.any(Crashed) })
        })
        expect(dying.crashed).toBe(true)
        const opened: string[] = []
        for (const [index, way] of ways.entries()) {
          const copy = await copyOf(store)
          const [kernel] = await Promise.allSettled([way(copy, keys)])
          if (kernel.status !== 'fulfilled' || kernel.value.seal.state !== 'open') continue
          opened.push(`way ${index}`)
          await kept.check(kernel.value)
          await kernel.value.close()
        }
        expect(opened, `commit ${crashAt}, ${when}`).toHaveLength(1)
      }
    }
  })
})

describe('a process that dies while it initializes a store', () => {
  it.each([
    ['shares', shamirSeal(), TWO],
    ['an automatic seal', keySeal(K1), TWO_RECOVERY],
  ] as const)('with %s leaves a store that is empty or opens with the returned key shares', async (_, seal, args) => {
    const whole = crashingStorage(memoryStorage())
    await (await openWith(whole, seal)).seal.initialize(args)
    const fresh = await createDevKernel()
    const mounts = Object.keys((await fresh.mounts.listMounts({})).mounts)
    await fresh.close()
    for (let crashAt = 1; crashAt <= whole.commits; crashAt++) {
      for (const when of ['before', 'after'] as const) {
        const store = memoryStorage()
        const dying = await openWith(crashingStorage(store, { crashAt, when }), seal)
        const answer = await dying.seal.initialize(args).catch((error: unknown) => {
          expect(error).toMatchObject({ status: 503, cause: expect.any(Crashed) })
          return undefined
        })
        const next = await openWith(store, seal)
        if (!answer)
          expect(await next.handle({ method: 'GET', path: '/v1/sys/init' })).toMatchObject({ body: { initialized: false } })
        const made = answer ?? (await next.seal.initialize(args))
        const shares = made.keys.length > 0 ? made.keys : (made.recovery_keys as readonly string[])
        if (next.seal.state !== 'open') await giveAll(next, shares.slice(0, 2))
        expect(next.seal.state).toBe('open')
        const held = await fill(next)
        await next.close()

        // The interrupted attempt must not block another one, and its shares must belong to the stored key.
        const again = await openWith(store, seal)
        if (again.seal.state === 'open') await again.seal.seal()
        await giveAll(again, shares.slice(1, 3))
        await held.check(again)
        expect(await again.as(made.root_token).tokens.lookupSelf({})).toMatchObject({ policies: ['root'] })
        expect(Object.keys((await again.mounts.listMounts({})).mounts)).toEqual(mounts)
        await again.close()
      }
    }
  })
})

describe('re-encryption of all records, interrupted by a crash,', () => {
  it('is completed by the next process, which re-encrypts no record twice', async () => {
    const start = memoryStorage()
    const first = await openWith(start, keySeal(K1), { initialize: true })
    const kept = await fill(first, 300)
    await first.seal.rotate()
    await first.close()
    const whole = crashingStorage(await copyOf(start))
    const worker = await openWith(whole, keySeal(K1))
    const { commits } = whole
    const { reencrypted } = await worker.seal.reencrypt()
    for (let crashAt = commits + 1; crashAt <= whole.commits; crashAt++) {
      const store = await copyOf(start)
      const dying = await openWith(crashingStorage(store, { crashAt, when: 'after' }), keySeal(K1))
      await expect(dying.seal.reencrypt()).rejects.toMatchObject({ status: 503 })
      const left = [...(await termsIn(store))].filter(([term]) => term === 1).flatMap(([, keys]) => keys)
      const next = await openWith(store, keySeal(K1))
      const progress = await next.seal.reencrypt()
      expect([...(await termsIn(store)).keys()]).toEqual([2])
      // The count covers all processes that took part, and the remaining records are at most those not yet encrypted.
      expect(left.length).toBeLessThanOrEqual(reencrypted)
      if (crashAt < whole.commits) expect(progress.reencrypted).toBeGreaterThanOrEqual(reencrypted - 3)
      await kept.check(next)
      await next.close()
    }
  })
})
