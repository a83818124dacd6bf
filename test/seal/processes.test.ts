/**
 * Several processes on one store: each notices key changes by the others, even after missing many of them, and sealing all processes works.
 */
import { describe, expect, it } from 'vitest'
import { type Kernel, keySeal, memoryStorage, type Storage, shamirSeal } from '../../src/index.ts'
import { CHAOTIC, SHARED_STORES, SMALL_COMMITS } from '../fixtures/stores.ts'
import { utf8 } from '../property/support.ts'
import { fill, giveAll, K1, openWith, shares, termsIn } from './support.ts'

const SEAL = () => keySeal(K1)
/** Every request checks whether other processes have written. */
const EXACT = { cache: { stalenessMs: 0 } }

const askAs = (token: string) => (kernel: Kernel, method: string, path: string, body?: object) =>
  kernel.handle({ method, path: `/v1/${path}`, headers: { 'X-Service-Token': token }, ...(body ? { body } : {}) })

describe.each([SMALL_COMMITS, CHAOTIC, ...SHARED_STORES])('several processes on $name', (store) => {
  it('that initialize one store concurrently create one store, which each of them opens', async () => {
    const { storage, drop } = await store.open()
    const kernels = await Promise.all(Array.from({ length: 8 }, () => openWith(storage, SEAL(), { initialize: true, ...EXACT })))
    expect(kernels.map(({ seal }) => seal.state)).toEqual(kernels.map(() => 'open'))
    const tokens = kernels.flatMap(({ rootToken }) => rootToken ?? [])
    expect(tokens).toHaveLength(1)
    for (const kernel of kernels) {
      const response = await askAs(tokens[0] as string)(kernel, 'GET', 'auth/token/lookup-self')
      expect(response.status).toBe(200)
      await kernel.close()
    }
    await drop()
  })

  it('use a new barrier key immediately after another process has rotated the key', async () => {
    const { storage, drop } = await store.open()
    const firstKernel = await openWith(storage, SEAL(), { initialize: true, ...EXACT })
    const secondKernel = await openWith(storage, SEAL(), EXACT)
    const kept = await fill(firstKernel)
    for (let round = 2; round < 6; round++) {
      await firstKernel.seal.rotate()
      await firstKernel.kv.writeSecret({ path: `of/${round}`, data: { round } })
      expect((await secondKernel.kv.readSecret({ path: `of/${round}` })).data).toEqual({ round })
      await secondKernel.kv.writeSecret({ path: `by/${round}`, data: { round } })
      expect((await firstKernel.kv.readSecret({ path: `by/${round}` })).data).toEqual({ round })
      expect((await secondKernel.seal.readKeyStatus()).term).toBe(round)
      await kept.check(secondKernel)
    }
    await Promise.all([
      firstKernel.seal.rotate(),
      secondKernel.seal.rotate(),
      firstKernel.seal.rotateRootKey(),
      secondKernel.seal.rotate(),
    ])
    expect([(await firstKernel.seal.readKeyStatus()).term, (await secondKernel.seal.readKeyStatus()).term]).toEqual([8, 8])
    await kept.check(firstKernel)
    await firstKernel.close()
    await secondKernel.close()
    const last = await openWith(storage, SEAL(), EXACT)
    await kept.check(last)
    await last.close()
    await drop()
  })

  it('are all sealed by a request to one of them, which also ends rekey and generate-root attempts', async () => {
    const { storage, drop } = await store.open()
    const firstKernel = await openWith(storage, SEAL(), EXACT)
    const { root_token } = await firstKernel.seal.initialize()
    const ask = askAs(root_token)
    const secondKernel = await openWith(storage, SEAL(), EXACT)
    const third = await openWith(storage, SEAL(), EXACT)
    await ask(firstKernel, 'POST', 'secret/a', { a: 1 })
    expect((await ask(secondKernel, 'GET', 'secret/a')).status).toBe(200)
    // One process seals only itself; the others continue.
    await third.seal.seal()
    expect([firstKernel.seal.state, secondKernel.seal.state, third.seal.state]).toEqual(['open', 'open', 'sealed'])
    await third.seal.unseal()
    const { attempts } = await recordOf(storage)
    expect((await ask(firstKernel, 'PUT', 'sys/seal')).status).toBe(204)
    expect((await ask(firstKernel, 'GET', 'secret/a')).status).toBe(503)
    await settle(secondKernel)
    expect((await ask(secondKernel, 'GET', 'secret/a')).status).toBe(503)
    await settle(third)
    expect([firstKernel, secondKernel, third].map(({ seal }) => seal.state)).toEqual(['sealed', 'sealed', 'sealed'])
    expect((await recordOf(storage)).attempts).toBeGreaterThan(attempts)
    await secondKernel.seal.unseal()
    expect((await ask(secondKernel, 'GET', 'secret/a')).status).toBe(200)
    expect(firstKernel.seal.state).toBe('sealed')
    for (const kernel of [firstKernel, secondKernel, third]) await kernel.close()
    await drop()
  })
})

/** Waits until the process has noticed the changes of others. */
const settle = (kernel: Kernel) => kernel.kv.readSecret({ path: 'none' }).catch(() => {})

const recordOf = async (storage: Storage): Promise<{ readonly attempts: number; readonly epoch: number }> =>
  JSON.parse(Buffer.from((await storage.get('i/core/seal'))!.value).toString())

/** A process that receives no notifications while it is paused. */
function sleeping(inner: Storage): { readonly storage: Storage } {
  const { getSync: _, ...others } = inner
  return { storage: { ...others, watch: async () => async () => {}, revision: async () => 1 } }
}

describe('a process that was paused', () => {
  const opened = async (seal = SEAL) => {
    const storage = memoryStorage()
    const awake = await openWith(storage, seal(), { initialize: true, ...EXACT })
    const kept = await fill(awake)
    const sleeper = await openWith(sleeping(storage).storage, seal())
    return { storage, awake, sleeper, kept }
  }

  it.each([
    [1, 0],
    [3, 1],
    [7, 2],
    [30, 3],
  ])('during %i rotations and %i new root keys can read the records written meanwhile', async (rotations, rootKeys) => {
    const { awake, sleeper, kept } = await opened()
    for (let n = 0; n < rotations; n++) await awake.seal.rotate()
    for (let n = 0; n < rootKeys; n++) await awake.seal.rotateRootKey()
    await awake.kv.writeSecret({ path: 'late', data: { rotations } })
    expect((await sleeper.kv.readSecret({ path: 'late' })).data).toEqual({ rotations })
    await sleeper.kv.writeSecret({ path: 'later', data: { rotations } })
    expect((await awake.kv.readSecret({ path: 'later' })).data).toEqual({ rotations })
    await kept.check(sleeper)
    await sleeper.seal.rotate()
    await sleeper.seal.rotateRootKey()
    await kept.check(sleeper)
    await awake.close()
    await sleeper.close()
  })

  it('seals itself when it reads a record with an unknown key term, if all processes were sealed meanwhile', async () => {
    const { awake, sleeper, storage } = await opened()
    await awake.seal.rotate()
    await awake.kv.writeSecret({ path: 'late', data: { a: 1 } })
    const record = await recordOf(storage)
    const value = utf8(JSON.stringify({ ...record, epoch: record.epoch + 1 }))
    await storage.commit([{ op: 'put', key: 'i/core/seal', value }], 'sealed by a third one')
    await expect(sleeper.kv.readSecret({ path: 'late' })).rejects.toMatchObject({ status: 503, code: 'ERR_SEALED' })
    expect(sleeper.seal.state).toBe('sealed')
    await sleeper.seal.unseal()
    expect((await sleeper.kv.readSecret({ path: 'late' })).data).toEqual({ a: 1 })
    await sleeper.close()
    await awake.close()
  })

  it('during more key rotations than it can follow seals itself, and can be unsealed with key shares', async () => {
    const storage = memoryStorage()
    const awake = await openWith(storage, shamirSeal())
    const made = await awake.seal.initialize({ secret_shares: 3, secret_threshold: 2 })
    await giveAll(awake, shares(made, 0, 1))
    const kept = await fill(awake)
    const sleeper = await openWith(sleeping(storage).storage, shamirSeal())
    await giveAll(sleeper, shares(made, 2, 1))
    for (let n = 0; n < 8; n++) await awake.seal.rotate()
    await awake.kv.writeSecret({ path: 'late', data: { a: 1 } })
    await expect(sleeper.kv.readSecret({ path: 'late' })).rejects.toMatchObject({ status: 503, code: 'ERR_SEALED' })
    expect(sleeper.seal.state).toBe('sealed')
    await giveAll(sleeper, shares(made, 0, 2))
    expect((await sleeper.kv.readSecret({ path: 'late' })).data).toEqual({ a: 1 })
    await kept.check(sleeper)
    await sleeper.close()
    await awake.close()
  })

  it('fails a read of a record with a key term that never existed, and remains open', async () => {
    const { awake, sleeper, storage } = await opened()
    const key = [...(await termsIn(storage)).get(1)!].find((name) => name.startsWith('r/') && name.includes('/secret/')) as string
    const { value } = (await storage.get(key))!
    new DataView(value.buffer, value.byteOffset).setUint32(0, 99)
    await storage.commit([{ op: 'put', key, value }], 'forged')
    const path = key.split('/secret/')[1] as string
    await expect(sleeper.kv.readSecret({ path })).rejects.toMatchObject({
      status: 500,
      message: expect.stringContaining('term 99'),
    })
    expect(sleeper.seal.state).toBe('open')
    await sleeper.close()
    await awake.close()
  })
})

describe('a store that several kernels wait to initialize', () => {
  it('is initialized by only one of their concurrent requests, which returns the key shares', async () => {
    const storage = memoryStorage()
    const kernels = await Promise.all(Array.from({ length: 4 }, () => openWith(storage, shamirSeal(), EXACT)))
    const body = { secret_shares: 3, secret_threshold: 2 }
    const answers = await Promise.all(kernels.map((kernel) => kernel.handle({ method: 'PUT', path: '/v1/sys/init', body })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
    const { keys } = answers.find(({ status }) => status === 200)!.body as { keys: string[] }
    for (const kernel of kernels) {
      await giveAll(kernel, keys.slice(1))
      expect(kernel.seal.state).toBe('open')
      await kernel.close()
    }
  })

  it('is opened by a waiting kernel after another process has initialized the store', async () => {
    const storage = memoryStorage()
    const waiting = await openWith(storage, SEAL(), EXACT)
    const shamir = await openWith(memoryStorage(), shamirSeal())
    expect(waiting.seal.state).toBe('uninitialized')
    const maker = await openWith(storage, SEAL(), { initialize: true, ...EXACT })
    const health = await waiting.handle({ method: 'GET', path: '/v1/sys/health' })
    expect(health.status).toBe(200)
    expect(waiting.seal.state).toBe('open')
    await maker.close()
    await waiting.close()
    await shamir.close()
  })
})
