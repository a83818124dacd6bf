/** Migration of a store from one seal to another: whose shares are required, and what happens to them. */
import { describe, expect, it } from 'vitest'
import { keySeal, kmsSeal, memoryStorage, shamirSeal } from '../../src/index.ts'
import { bytesOf, refusalOf } from '../property/support.ts'
import { fill, giveAll, K1, K2, openWith, shares } from './support.ts'

const MIGRATE = { migrate: true }
const kms = () =>
  kmsSeal({ type: 'ourkms', wrap: async (bytes) => bytes.map((b) => b ^ 1), unwrap: async (bytes) => bytes.map((b) => b ^ 1) })

async function underShares() {
  const storage = memoryStorage()
  const kernel = await openWith(storage, shamirSeal())
  const made = await kernel.seal.initialize({ secret_shares: 5, secret_threshold: 3 })
  await giveAll(kernel, shares(made, 0, 1, 2))
  const kept = await fill(kernel)
  await kernel.close()
  return { storage, made, kept }
}

async function underKey() {
  const storage = memoryStorage()
  const kernel = await openWith(storage, keySeal(K1))
  const made = await kernel.seal.initialize({ recovery_shares: 5, recovery_threshold: 3 })
  const kept = await fill(kernel)
  await kernel.close()
  return { storage, keys: made.recovery_keys as readonly string[], kept }
}

describe('migration from key shares to an automatic seal', () => {
  it('needs the key shares and the `migrate` flag, and turns the key shares into recovery shares', async () => {
    const { storage, made, kept } = await underShares()
    const kernel = await openWith(storage, keySeal(K1))
    expect(await kernel.seal.status()).toMatchObject({
      type: 'static',
      migration: true,
      sealed: true,
      t: 3,
      n: 5,
      recovery_seal: true,
    })
    const before = await storage.revision()
    expect(await refusalOf(kernel.seal.unseal({ key: made.keys[0] as string }))).toMatchObject({ status: 400 })
    expect((await kernel.seal.status()).progress).toBe(0)
    await giveAll(kernel, shares(made, 0, 1), MIGRATE)
    expect(await refusalOf(kernel.seal.unseal({ key: bytesOf(33, 9), migrate: true }))).toMatchObject({ status: 400 })
    expect(await kernel.seal.status()).toMatchObject({ progress: 0, migration: true })
    expect(await storage.revision()).toBe(before)
    await giveAll(kernel, shares(made, 4, 1, 2), MIGRATE)
    expect(await kernel.seal.status()).toMatchObject({ type: 'static', migration: false, sealed: false, t: 3, n: 5 })
    await kept.check(kernel)
    expect(await kernel.seal.unseal({ key: made.keys[0] as string, migrate: true })).toMatchObject({ sealed: false })
    await kernel.seal.seal()
    await giveAll(kernel, shares(made, 0, 2, 3))
    await kept.check(kernel)
    await kernel.close()
    const next = await openWith(storage, keySeal(K1))
    await kept.check(next)
    await next.seal.rotateRootKey()
    await kept.check(next)
    await next.close()
    expect(await refusalOf(openWith(storage, shamirSeal()))).toMatchObject({ code: 'ERR_SEALED' })
  })
})

describe('migration from an automatic seal to key shares', () => {
  it('turns the recovery shares into key shares', async () => {
    const { storage, keys, kept } = await underKey()
    expect(await refusalOf(openWith(storage, shamirSeal()))).toMatchObject({
      code: 'ERR_SEALED',
      message: expect.stringContaining('previousSeal'),
    })
    const kernel = await openWith(storage, shamirSeal(), { previousSeal: keySeal(K1) })
    expect(await kernel.seal.status()).toMatchObject({
      type: 'shamir',
      migration: true,
      sealed: true,
      t: 3,
      n: 5,
      recovery_seal: false,
    })
    expect(await refusalOf(kernel.seal.unseal({ key: keys[0] as string }))).toMatchObject({ status: 400 })
    await giveAll(kernel, keys.slice(2), MIGRATE)
    await kept.check(kernel)
    await kernel.seal.seal()
    await giveAll(kernel, keys.slice(0, 3))
    await kernel.seal.rotateRootKey()
    await kept.check(kernel)
    await kernel.close()
    const next = await openWith(storage, shamirSeal())
    expect(next.seal.state).toBe('sealed')
    await giveAll(next, keys.slice(1, 4))
    await kept.check(next)
    await next.close()
    // The old key no longer opens the store; returning to the old seal would be another migration.
    const back = await openWith(storage, keySeal(K1))
    expect(await back.seal.status()).toMatchObject({ migration: true, sealed: true })
    await giveAll(back, keys.slice(2), MIGRATE)
    await kept.check(back)
    await back.close()
  })

  it('is refused if the store has no recovery shares', async () => {
    const storage = memoryStorage()
    await (await openWith(storage, keySeal(K1), { initialize: true })).close()
    expect(await refusalOf(openWith(storage, shamirSeal(), { previousSeal: keySeal(K1) }))).toMatchObject({
      code: 'ERR_SEALED',
      message: expect.stringContaining('recovery shares'),
    })
  })
})

describe('migration between automatic seals', () => {
  it.each([
    ['a static key that is given with its former key', () => keySeal(K2, { previous: [K1] }), {}, () => keySeal(K2)],
    ['a static key that is given with the former seal', () => keySeal(K2), { previousSeal: keySeal(K1) }, () => keySeal(K2)],
    ['a key management service', kms, { previousSeal: keySeal(K1) }, kms],
  ] as const)('to %s happens when the store is opened, and keeps the recovery shares', async (_, seal, more, alone) => {
    const { storage, keys, kept } = await underKey()
    const kernel = await openWith(storage, seal(), more)
    await kept.check(kernel)
    await kernel.close()
    expect(await refusalOf(openWith(storage, keySeal(K1)))).toMatchObject({ code: 'ERR_SEALED' })
    const next = await openWith(storage, alone())
    await kept.check(next)
    await next.seal.seal()
    await giveAll(next, keys.slice(0, 3))
    await kept.check(next)
    await next.close()
  })

  it('happens only once if several processes open the store at the same time', async () => {
    const { storage, kept } = await underKey()
    const kernels = await Promise.all([1, 2, 3].map(() => openWith(storage, keySeal(K2, { previous: [K1] }))))
    for (const kernel of kernels) await kept.check(kernel)
    for (const kernel of kernels) await kernel.close()
    await kept.check(await openWith(storage, keySeal(K2)))
  })
})
