/** Two processes on one store share the same attempt and its end, but not the shares that were given to one of them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKernel, type Kernel, memoryStorage, type Storage, shamirSeal } from '../../src/index.ts'
import { bytesOf } from '../property/support.ts'

let storage: Storage
let shares: readonly string[]
let firstKernel: Kernel
let two: Kernel

const refused = { status: 400 }
const share = (i: number): string => shares[i] as string

async function open(): Promise<Kernel> {
  const kernel = await createKernel({ storage, seal: shamirSeal() })
  for (const key of shares.slice(0, 2)) await kernel.seal.unseal({ key })
  return kernel
}

beforeEach(async () => {
  storage = memoryStorage()
  const first = await createKernel({ storage, seal: shamirSeal() })
  ;({ keys: shares } = await first.seal.initialize({ secret_shares: 3, secret_threshold: 2 }))
  await first.close()
  ;[firstKernel, two] = [await open(), await open()]
})
afterEach(() => Promise.all([firstKernel.close(), two.close()]))

describe('rekey and generate-root attempts in two processes with one store', () => {
  it('are reported by both processes, and count a share only in the process that received it', async () => {
    const { nonce } = await firstKernel.rekey.init({ secret_shares: 1, secret_threshold: 1 })
    await expect(two.rekey.init({ secret_shares: 1, secret_threshold: 1 })).rejects.toMatchObject(refused)
    await firstKernel.rekey.update({ key: share(0), nonce })
    expect(await two.rekey.readStatus()).toMatchObject({ started: true, nonce, progress: 0, n: 1 })
    expect(await two.rekey.update({ key: share(0), nonce })).toMatchObject({ progress: 1 })
    const { keys } = await two.rekey.update({ key: share(1), nonce })
    expect(keys).toHaveLength(1)
    // The attempt is over, and the shares given to the other process do not count for the next attempt.
    expect(await firstKernel.rekey.readStatus()).toMatchObject({ started: false, required: 1 })
    await expect(firstKernel.rekey.update({ key: share(1), nonce })).rejects.toMatchObject(refused)
    const next = await two.rekey.init({ secret_shares: 2, secret_threshold: 2 })
    expect(await firstKernel.rekey.readStatus()).toMatchObject({ nonce: next.nonce, progress: 0 })
    expect(await firstKernel.rekey.update({ key: keys?.[0] as string, nonce: next.nonce })).toMatchObject({ complete: true })
    // Both processes continue with their loaded keys.
    for (const kernel of [firstKernel, two]) await kernel.transit.encrypt({ name: 'k', plaintext: bytesOf(3, 1) })
  })

  it('are completed once although several callers provide the last share concurrently', async () => {
    const { nonce } = await firstKernel.rekey.init({ secret_shares: 2, secret_threshold: 2 })
    for (const kernel of [firstKernel, two]) await kernel.rekey.update({ key: share(0), nonce })
    const outcomes = await Promise.allSettled([firstKernel, two].map((kernel) => kernel.rekey.update({ key: share(2), nonce })))
    const done = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    expect(done).toHaveLength(1)
    expect(outcomes.find((outcome) => outcome.status === 'rejected')?.reason).toMatchObject(refused)
    shares = done[0]?.value.keys as readonly string[]
    const third = await open()
    expect(third.seal.state).toBe('open')
    await third.close()
  })

  it('are verified only in the process that has the new key, but can be restarted or canceled by either process', async () => {
    const { nonce } = await firstKernel.rekey.init({ secret_shares: 2, secret_threshold: 2, require_verification: true })
    for (const key of shares.slice(0, 2)) await firstKernel.rekey.update({ key, nonce })
    const { verification_nonce } = await two.rekey.readStatus()
    expect(await two.rekey.readVerification()).toMatchObject({ started: true, nonce: verification_nonce })
    await expect(two.rekey.verify({ key: share(0), nonce: verification_nonce as string })).rejects.toMatchObject(refused)
    const renewed = await two.rekey.restartVerification()
    expect(await firstKernel.rekey.readVerification()).toMatchObject({ nonce: renewed.nonce, progress: 0 })
    await two.rekey.cancel()
    await expect(firstKernel.rekey.verify({ key: share(0), nonce: renewed.nonce })).rejects.toMatchObject(refused)
    expect(await firstKernel.rekey.readStatus()).toMatchObject({ started: false, required: 2 })
  })

  it('all end in both processes when one process is sealed', async () => {
    await firstKernel.rekey.init({ secret_shares: 2, secret_threshold: 2 })
    const { nonce } = await firstKernel.generateRoot.init()
    await two.seal.seal()
    expect(await firstKernel.rekey.readStatus()).toMatchObject({ started: false })
    expect(await firstKernel.generateRoot.readStatus()).toMatchObject({ started: false })
    await expect(firstKernel.generateRoot.update({ key: share(0), nonce })).rejects.toMatchObject(refused)
  })

  it('create one token although several callers provide the last share concurrently', async () => {
    const { nonce } = await firstKernel.generateRoot.init()
    for (const kernel of [firstKernel, two]) await kernel.generateRoot.update({ key: share(0), nonce })
    const outcomes = await Promise.allSettled(
      [firstKernel, two].map((kernel) => kernel.generateRoot.update({ key: share(1), nonce })),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    // The first root token and the new one.
    expect((await firstKernel.tokens.listAccessors()).keys).toHaveLength(2)
  })

  it('refuse shares that a concurrent rekey has replaced', async () => {
    const { nonce } = await firstKernel.generateRoot.init()
    await firstKernel.generateRoot.update({ key: share(0), nonce })
    const { nonce: rekeying } = await two.rekey.init({ secret_shares: 3, secret_threshold: 2 })
    let fresh: readonly string[] = []
    for (const key of shares.slice(0, 2)) fresh = (await two.rekey.update({ key, nonce: rekeying })).keys ?? []
    await expect(firstKernel.generateRoot.update({ key: share(1), nonce })).rejects.toMatchObject(refused)
    expect(await firstKernel.generateRoot.readStatus()).toMatchObject({ started: true, nonce, progress: 0 })
    for (const key of fresh.slice(0, 2)) await firstKernel.generateRoot.update({ key, nonce })
    expect(await firstKernel.generateRoot.readStatus()).toMatchObject({ started: false })
  })

  it('forget the shares that one process has received when the other process cancels the attempt', async () => {
    const { nonce } = await firstKernel.generateRoot.init()
    await firstKernel.generateRoot.update({ key: share(0), nonce })
    await two.generateRoot.cancel()
    const next = await two.generateRoot.init()
    expect(await firstKernel.generateRoot.readStatus()).toMatchObject({ nonce: next.nonce, progress: 0 })
    expect(await firstKernel.generateRoot.update({ key: share(0), nonce: next.nonce })).toMatchObject({ progress: 1 })
  })
})

describe('a rekey or generate-root attempt whose commit is delayed', () => {
  /** Runs once before the next commit of the slow process. */
  let meanwhile: (() => Promise<unknown>) | undefined
  let slow: Kernel

  beforeEach(async () => {
    const { commit } = storage
    storage = {
      ...storage,
      commit: async (ops, id) => {
        const first = meanwhile
        meanwhile = undefined
        await first?.()
        return commit(ops, id)
      },
    }
    slow = await open()
  })
  afterEach(() => slow.close())

  it('creates no token if a concurrent seal has ended all attempts', async () => {
    const { nonce } = await slow.generateRoot.init()
    await slow.generateRoot.update({ key: share(0), nonce })
    meanwhile = () => two.seal.seal()
    await expect(slow.generateRoot.update({ key: share(1), nonce })).rejects.toMatchObject(refused)
    expect((await firstKernel.tokens.listAccessors()).keys).toHaveLength(1)
  })

  it('creates no token with shares that a concurrent rekey has replaced', async () => {
    const { nonce } = await slow.generateRoot.init()
    await slow.generateRoot.update({ key: share(0), nonce })
    const rekeying = (await two.rekey.init({ secret_shares: 2, secret_threshold: 2 })).nonce
    await two.rekey.update({ key: share(0), nonce: rekeying })
    meanwhile = () => two.rekey.update({ key: share(1), nonce: rekeying })
    await expect(slow.generateRoot.update({ key: share(1), nonce })).rejects.toMatchObject(refused)
    expect((await firstKernel.tokens.listAccessors()).keys).toHaveLength(1)
    expect(await slow.generateRoot.readStatus()).toMatchObject({ started: true, nonce, progress: 0 })
  })

  it('starts although a concurrent seal ends all earlier attempts', async () => {
    meanwhile = () => two.seal.seal()
    const { nonce } = await slow.rekey.init({ secret_shares: 2, secret_threshold: 2 })
    expect(await slow.rekey.readStatus()).toMatchObject({ started: true, nonce })
    meanwhile = () => firstKernel.seal.seal()
    const token = await slow.generateRoot.init()
    expect(await slow.generateRoot.readStatus()).toMatchObject({ started: true, nonce: token.nonce })
    expect(await slow.rekey.readStatus()).toMatchObject({ started: false })
  })

  it('does not complete a rekey that another process has completed meanwhile', async () => {
    const { nonce } = await slow.rekey.init({ secret_shares: 2, secret_threshold: 2 })
    for (const kernel of [slow, two]) await kernel.rekey.update({ key: share(0), nonce })
    let first: readonly string[] | undefined
    meanwhile = async () => {
      first = (await two.rekey.update({ key: share(2), nonce })).keys
    }
    await expect(slow.rekey.update({ key: share(1), nonce })).rejects.toMatchObject(refused)
    shares = first as readonly string[]
    const third = await open()
    expect(third.seal.state).toBe('open')
    await third.close()
  })
})
