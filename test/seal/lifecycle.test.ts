/**
 * The life cycle of a kernel from an empty store to its closing, as the embedding application sees it, with the mistakes that an operator
 * may make.
 */
import { describe, expect, it } from 'vitest'
import { createKernel, type Kernel, type KmsClient, keySeal, kmsSeal, memoryStorage, shamirSeal } from '../../src/index.ts'
import { fakePgp } from '../../src/testing/index.ts'
import { base64, bytesOf, refusalOf } from '../property/support.ts'
import { fill, giveAll, K1, K2, openWith, shares } from './support.ts'

const health = async (kernel: Kernel) => (await kernel.handle({ method: 'GET', path: '/v1/sys/health' })).status

describe('a kernel with a manual seal', () => {
  it('reports that it is uninitialized before the initialization, sealed before the unsealing, and open afterwards', async () => {
    const kernel = await openWith(memoryStorage(), shamirSeal())
    expect([kernel.seal.state, await health(kernel)]).toEqual(['uninitialized', 501])
    expect(await kernel.seal.status()).toMatchObject({ type: 'shamir', initialized: false, sealed: true, t: 0, n: 0 })
    expect(await refusalOf(kernel.kv.readSecret({ path: 'a' }))).toMatchObject({ code: 'ERR_NOT_INITIALIZED', status: 503 })
    expect(await refusalOf(kernel.seal.rotate())).toMatchObject({ code: 'ERR_NOT_INITIALIZED' })
    const made = await kernel.seal.initialize({ secret_shares: 5, secret_threshold: 3 })
    expect(made.keys).toHaveLength(5)
    expect(made.keys_base64.map((text) => Buffer.from(text, 'base64').toString('hex'))).toEqual(made.keys)
    expect(made).not.toHaveProperty('recovery_keys')
    expect(kernel.rootToken).toBe(made.root_token)
    expect([kernel.seal.state, await health(kernel)]).toEqual(['sealed', 503])
    expect(await refusalOf(kernel.kv.readSecret({ path: 'a' }))).toMatchObject({ code: 'ERR_SEALED', status: 503 })
    const first = await kernel.seal.unseal({ key: made.keys[4] as string })
    expect(first).toMatchObject({ sealed: true, t: 3, n: 5, progress: 1, nonce: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    const again = await kernel.seal.unseal({ key: Buffer.from(made.keys_base64[4] as string, 'base64') })
    expect(again).toEqual(first)
    await kernel.seal.unseal({ key: made.keys_base64[0] as string })
    expect(await kernel.seal.unseal({ key: made.keys[2] as string })).toMatchObject({ sealed: false, progress: 0, nonce: '' })
    expect([kernel.seal.state, await health(kernel)]).toEqual(['open', 200])
    const kept = await fill(kernel)
    await kernel.seal.seal()
    expect([kernel.seal.state, await health(kernel)]).toEqual(['sealed', 503])
    await giveAll(kernel, shares(made, 1, 2, 3))
    await kept.check(kernel)
    await kernel.close()
    await expect(kernel.seal.status()).rejects.toThrow(TypeError)
  })

  it('refuses unseal() without a key share and remains sealed', async () => {
    const kernel = await openWith(memoryStorage(), shamirSeal())
    await kernel.seal.initialize({ secret_shares: 1, secret_threshold: 1 })
    expect(await refusalOf(kernel.seal.unseal())).toMatchObject({ status: 400 })
    expect(kernel.seal.state).toBe('sealed')
  })

  it('can be unsealed with as many shares as the threshold, from 2 of 2 up to 255 of 255', async () => {
    for (const [n, t] of [
      [2, 2],
      [3, 2],
      [17, 16],
      [254, 2],
      [255, 2],
      [255, 255],
    ] as const) {
      const kernel = await openWith(memoryStorage(), shamirSeal())
      const made = await kernel.seal.initialize({ secret_shares: n, secret_threshold: t })
      await giveAll(kernel, made.keys.slice(n - t))
      expect(kernel.seal.state).toBe('open')
      await kernel.close()
    }
  })

  it('refuses wrong key shares and keeps the correct ones', async () => {
    const storage = memoryStorage()
    const kernel = await openWith(storage, shamirSeal())
    const made = await kernel.seal.initialize({ secret_shares: 3, secret_threshold: 2 })
    const before = await storage.revision()
    const [good, other] = shares(made, 0, 1) as [string, string]
    await kernel.seal.unseal({ key: good })
    for (const key of ['', 'zz', 'abcd', good + good, bytesOf(15, 1), bytesOf(34, 1)])
      expect(await refusalOf(kernel.seal.unseal({ key }))).toMatchObject({ status: 400 })
    for (const key of [1, null, {}, [good]] as unknown[]) {
      if (key === null) continue
      await expect(kernel.seal.unseal({ key } as never)).rejects.toThrow(TypeError)
    }
    await expect(kernel.seal.unseal({ kye: good } as never)).rejects.toThrow(TypeError)
    expect(await refusalOf(kernel.seal.unseal({ key: good, migrate: true }))).toMatchObject({ status: 400 })
    expect((await kernel.seal.status()).progress).toBe(1)
    expect(await refusalOf(kernel.seal.unseal({ key: bytesOf(33, 5) }))).toMatchObject({ status: 400 })
    expect(await kernel.seal.status()).toMatchObject({ progress: 0, nonce: '', sealed: true })
    await kernel.seal.unseal({ key: good })
    expect(await kernel.seal.unseal({ reset: true })).toMatchObject({ progress: 0, nonce: '' })
    expect(await storage.revision()).toBe(before)
    await giveAll(kernel, [other, good])
    expect(kernel.seal.state).toBe('open')
    expect(await refusalOf(kernel.seal.unseal({ reset: true }))).toMatchObject({ status: 400 })
  })

  it('counts each of several concurrent key shares', async () => {
    const kernel = await openWith(memoryStorage(), shamirSeal())
    const made = await kernel.seal.initialize({ secret_shares: 5, secret_threshold: 3 })
    const statuses = await Promise.all(made.keys.map((key) => kernel.seal.unseal({ key })))
    expect(statuses.map(({ sealed, progress }) => [sealed, progress])).toEqual([
      [true, 1],
      [true, 2],
      [false, 0],
      [false, 0],
      [false, 0],
    ])
  })
})

describe('initialization of a store', () => {
  const WRONG: readonly (readonly [string, object])[] = [
    ['missing counts', {}],
    ['a missing threshold', { secret_shares: 5 }],
    ['a threshold above the shares', { secret_shares: 3, secret_threshold: 4 }],
    ['a threshold of 1 for several shares', { secret_shares: 3, secret_threshold: 1 }],
    ['more than 255 shares', { secret_shares: 256, secret_threshold: 2 }],
    ['a negative count', { secret_shares: -1, secret_threshold: -1 }],
    ['recovery shares', { secret_shares: 1, secret_threshold: 1, recovery_shares: 1 }],
    ['one PGP key for two shares', { secret_shares: 2, secret_threshold: 2, pgp_keys: ['AQ=='] }],
    ['an invalid PGP key', { secret_shares: 1, secret_threshold: 1, pgp_keys: ['='] }],
    ['a PGP key that cannot encrypt', { secret_shares: 1, secret_threshold: 1, pgp_keys: ['BBBB'] }],
    ['an invalid PGP key for the root token', { secret_shares: 1, secret_threshold: 1, root_token_pgp_key: '=' }],
  ]
  it.each(WRONG)('is refused with %s and stores nothing', async (_, args) => {
    const storage = memoryStorage()
    const kernel = await openWith(storage, shamirSeal(), { ports: { pgp: fakePgp({ broken: ['BBBB'] }) } })
    expect(await refusalOf(kernel.seal.initialize(args))).toMatchObject({ status: 400 })
    expect(await storage.scan('')).toEqual([])
    expect(kernel.seal.state).toBe('uninitialized')
  })

  it.each([
    { recovery_shares: -1, recovery_threshold: -1 },
    { recovery_threshold: 2 },
    { secret_shares: 1, secret_threshold: 1 },
  ])('with an automatic seal is refused with %j and stores nothing', async (args) => {
    const storage = memoryStorage()
    const kernel = await openWith(storage, keySeal(K1))
    expect(await refusalOf(kernel.seal.initialize(args))).toMatchObject({ status: 400 })
    expect(await storage.scan('')).toEqual([])
  })

  it('throws a TypeError for arguments of wrong types', async () => {
    const kernel = await openWith(memoryStorage(), shamirSeal())
    for (const args of [{ secret_shares: '5' }, { pgp_keys: 'AQ==' }, { shares: 5 }, 5])
      await expect(kernel.seal.initialize(args as never)).rejects.toThrow(TypeError)
    await expect(createKernel({ storage: memoryStorage(), seal: shamirSeal(), initialize: true })).rejects.toThrow(TypeError)
    await expect(createKernel({ storage: memoryStorage(), seal: { type: 'own' } as never })).rejects.toThrow(TypeError)
  })

  it('succeeds only once if several kernels try concurrently', async () => {
    const storage = memoryStorage()
    const kernels = await Promise.all([1, 2, 3].map(() => openWith(storage, keySeal(K1))))
    const made = await Promise.allSettled(kernels.map((kernel) => kernel.seal.initialize()))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of made)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ status: 400, message: expect.stringContaining('already') })
    for (const kernel of kernels) expect((await kernel.seal.status()).initialized).toBe(true)
  })

  it('encrypts the key shares and the root token to the given PGP keys', async () => {
    const pgp = fakePgp()
    const people = ['AAAA', 'AAAB', 'AAAC']
    const storage = memoryStorage()
    const kernel = await openWith(storage, shamirSeal(), { ports: { pgp } })
    const made = await kernel.seal.initialize({
      secret_shares: 3,
      secret_threshold: 2,
      pgp_keys: people,
      root_token_pgp_key: 'AAAD',
    })
    expect(kernel.rootToken).toBeUndefined()
    const shown = made.keys.map((key, n) => Buffer.from(pgp.decrypt(Buffer.from(key, 'hex'), people[n] as string)).toString())
    expect(shown.every((share) => /^[0-9a-f]{66}$/.test(share))).toBe(true)
    await giveAll(kernel, shown.slice(1))
    const token = Buffer.from(pgp.decrypt(Buffer.from(made.root_token, 'base64'), 'AAAD')).toString()
    const reply = await kernel.handle({
      method: 'GET',
      path: '/v1/auth/token/lookup-self',
      headers: { 'X-Service-Token': token },
    })
    expect(reply.body).toMatchObject({ data: { policies: ['root'], path: 'auth/token/root' } })
    expect(token).toMatch(/^s\.[0-9A-Za-z]{24}$/)
  })
})

describe('a kernel with an automatic seal', () => {
  const recovery = { recovery_shares: 3, recovery_threshold: 2 }
  it('is open after initialization, unseals itself at the next start, and can be unsealed by recovery shares', async () => {
    const storage = memoryStorage()
    const kernel = await openWith(storage, keySeal(K1))
    const made = await kernel.seal.initialize(recovery)
    expect(made).toMatchObject({ keys: [], keys_base64: [], recovery_keys: { length: 3 } })
    expect(await kernel.seal.status()).toMatchObject({ type: 'static', sealed: false, t: 2, n: 3, recovery_seal: true })
    const kept = await fill(kernel)
    await kernel.seal.seal()
    const keys = made.recovery_keys as readonly string[]
    expect(await refusalOf(giveAll(kernel, [keys[0] as string, base64(bytesOf(33, 3))]))).toMatchObject({ status: 400 })
    await giveAll(kernel, keys.slice(1))
    await kept.check(kernel)
    await kernel.seal.seal()
    await kernel.seal.unseal()
    await kept.check(kernel)
    await kernel.close()
    const next = await openWith(storage, keySeal(K1))
    await kept.check(next)
    await next.close()
    expect(await refusalOf(openWith(storage, keySeal(K2)))).toMatchObject({ code: 'ERR_SEALED' })
  })

  it.each(['i/core/ring', 'i/core/root-key'])('refuses a store that lacks %s and does not change it', async (key) => {
    const storage = memoryStorage()
    await (await createKernel({ storage, seal: keySeal(K1), initialize: true })).close()
    await storage.commit([{ op: 'del', key }], 'damage')
    const before = await storage.scan('')
    await expect(createKernel({ storage, seal: keySeal(K1), initialize: true })).rejects.toMatchObject({
      code: 'ERR_INTERNAL',
      message: 'the store lacks its key ring or its root key',
    })
    expect(await storage.scan('')).toEqual(before)
  })

  it('without recovery shares cannot be unsealed by shares', async () => {
    const kernel = await openWith(memoryStorage(), keySeal(K1), { initialize: true })
    await kernel.seal.seal()
    expect(await refusalOf(kernel.seal.unseal({ key: bytesOf(33, 1) }))).toMatchObject({ status: 400 })
    await kernel.seal.unseal()
    expect(kernel.seal.state).toBe('open')
  })

  /** Encrypts by reversing the bytes, and records the calls. */
  const kms = (trouble: { error?: Error } = {}): KmsClient & { readonly calls: string[] } => {
    const calls: string[] = []
    const turn = async (what: string, bytes: Uint8Array) => {
      calls.push(what)
      if (trouble.error) throw trouble.error
      return bytes.map((byte) => byte ^ 0xff)
    }
    return { calls, type: 'ourkms', wrap: (bytes) => turn('wrap', bytes), unwrap: (bytes) => turn('unwrap', bytes) }
  }

  it('calls its key management service at start and when the root key changes, but not for requests', async () => {
    const storage = memoryStorage()
    const trouble: { error?: Error } = {}
    const client = kms(trouble)
    const kernel = await openWith(storage, kmsSeal(client))
    await kernel.seal.initialize(recovery)
    expect(await kernel.seal.status()).toMatchObject({ type: 'ourkms', sealed: false, n: 3 })
    const kept = await fill(kernel)
    const { length } = client.calls
    await kept.check(kernel)
    await kernel.seal.rotate()
    expect(client.calls).toHaveLength(length)
    trouble.error = new Error('secret detail of the service')
    await kept.check(kernel)
    const refused = await refusalOf(kernel.seal.rotateRootKey())
    expect(refused).toMatchObject({ code: 'ERR_UPSTREAM', status: 502, cause: trouble.error })
    expect(refused.message).not.toContain('secret detail')
    await kernel.seal.seal()
    expect(await refusalOf(kernel.seal.unseal())).toMatchObject({ code: 'ERR_UPSTREAM' })
    expect(await refusalOf(openWith(storage, kmsSeal(client)))).toMatchObject({ code: 'ERR_UPSTREAM' })
    delete trouble.error
    await kernel.seal.unseal()
    await kernel.seal.rotateRootKey()
    await kept.check(kernel)
    await kernel.close()
    expect(() => kmsSeal({} as never)).toThrow(TypeError)
    expect(() => kmsSeal({ ...kms(), type: 'shamir' })).toThrow(TypeError)
  })
})
