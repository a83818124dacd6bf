/** `createKernel({ seed })` creates what is missing, and changes nothing that exists. */
import { describe, expect, it } from 'vitest'
import { createDevKernel, createKernel, keySeal, memoryStorage, type Seed, shamirSeal } from '../../src/index.ts'

const SEED = {
  mounts: { kv2: { type: 'kv', options: { version: '2' } }, 'payments/': { type: 'transit', description: 'payments' } },
  policies: { app: 'path "kv2/data/app/*" { capabilities = ["read"] }' },
  keys: { 'transit/orders': { type: 'ed25519' }, 'payments/cards': { derived: true, auto_rotate_period: '720h' } },
  secrets: { 'kv2/app/database': { password: 'correct horse' }, 'secret/mail': { password: 'battery staple' } },
} satisfies Seed

const durable = () => ({ storage: memoryStorage(), seal: keySeal(new Uint8Array(32).fill(7)), initialize: true })

describe('a seed', () => {
  it('creates mounts, policies, keys and secrets in a new store', async () => {
    await using kernel = await createDevKernel({ seed: SEED })
    const { mounts } = await kernel.mounts.listMounts()
    expect(mounts['kv2/']).toMatchObject({ type: 'kv', options: { version: '2' } })
    expect(mounts['payments/']).toMatchObject({ type: 'transit', description: 'payments' })
    expect(await kernel.policies.readPolicy({ name: 'app' })).toMatchObject({ policy: SEED.policies.app })
    expect(await kernel.transit.readKey({ name: 'orders' })).toMatchObject({ type: 'ed25519' })
    expect(await kernel.transit.at('payments/').readKey({ name: 'cards' })).toMatchObject({
      derived: true,
      auto_rotate_period: 2_592_000,
    })
    expect((await kernel.kv2.at('kv2/').readSecret({ path: 'app/database' })).data).toEqual({ password: 'correct horse' })
    expect((await kernel.kv.readSecret({ path: 'mail' })).data).toEqual({ password: 'battery staple' })
  })

  it('changes nothing that exists when it is applied again', async () => {
    const options = durable()
    const first = await createKernel({ ...options, seed: SEED })
    await first.transit.rotateKey({ name: 'orders' })
    await first.kv2.at('kv2/').writeSecret({ path: 'app/database', data: { password: 'changed' } })
    await first.kv.writeSecret({ path: 'mail', data: { password: 'changed' } })
    await first.policies.writePolicy({ name: 'app', policy: 'path "other" { capabilities = ["read"] }' })
    await first.close()

    await using second = await createKernel({ ...options, seed: SEED })
    expect(await second.transit.readKey({ name: 'orders' })).toMatchObject({ latest_version: 2 })
    const { data, metadata } = await second.kv2.at('kv2/').readSecret({ path: 'app/database' })
    expect(data).toEqual({ password: 'changed' })
    expect(metadata.version).toBe(2)
    expect((await second.kv.readSecret({ path: 'mail' })).data).toEqual({ password: 'changed' })
    expect((await second.policies.readPolicy({ name: 'app' })).policy).toContain('path "other"')
  })

  it('does not write a deleted secret again', async () => {
    const options = durable()
    const first = await createKernel({ ...options, seed: SEED })
    await first.kv2.at('kv2/').deleteLatest({ path: 'app/database' })
    await first.close()
    await using second = await createKernel({ ...options, seed: SEED })
    await expect(second.kv2.at('kv2/').readSecret({ path: 'app/database' })).rejects.toMatchObject({ status: 404 })
  })

  it('can be applied by several processes at the same time', async () => {
    const options = durable()
    await (await createKernel(options)).close()
    const kernels = await Promise.all(Array.from({ length: 4 }, () => createKernel({ ...options, seed: SEED })))
    const { metadata } = await kernels[0]!.kv2.at('kv2/').readSecret({ path: 'app/database' })
    expect(metadata.version).toBe(1)
    for (const kernel of kernels) await kernel.close()
  })

  it('is refused as a whole if a part has the wrong shape, before the store is opened', async () => {
    const wrong: Readonly<Record<string, unknown>> = {
      'seed must be an object': 5,
      'unknown option seed.secret': { secret: {} },
      'seed.policies must be an object': { policies: [] },
      'seed.policies: app: must be a string': { policies: { app: {} } },
      'seed.mounts: a: must be an object': { mounts: { a: 'kv' } },
      'unknown option seed.mounts: a: typ': { mounts: { a: { typ: 'kv' } } },
      'seed.keys: transit/a: must be an object': { keys: { 'transit/a': null } },
    }
    for (const [message, seed] of Object.entries(wrong)) {
      const options = durable()
      const opened = createKernel({ ...options, seed: seed as Seed })
      await expect(opened).rejects.toThrow(new TypeError(`createKernel: ${message}`))
      expect(await options.storage.list('')).toEqual([])
    }
  })

  it('names the part that cannot be created, and closes the kernel', async () => {
    const failures: readonly [Seed, string][] = [
      [{ mounts: { secret: { type: 'transit' } } }, 'seed.mounts: secret: the mount at this path has the type kv, not transit'],
      [{ policies: { app: 'path {' } }, 'seed.policies: app: '],
      [{ keys: { 'transit/k': { type: 'rot13' } } }, 'seed.keys: transit/k: '],
      [{ keys: { 'secret/k': {} } }, 'seed.keys: secret/k: no mount of the type transit is at the beginning of this path'],
      [{ secrets: { 'nowhere/a': {} } }, 'seed.secrets: nowhere/a: no mount of the type kv is at the beginning of this path'],
    ]
    for (const [seed, message] of failures) {
      const error = await createDevKernel({ seed }).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ name: 'KernelError', status: 400, message: expect.stringContaining(message) })
    }
  })

  it('refuses a key that exists with another type', async () => {
    const options = durable()
    await (await createKernel({ ...options, seed: { keys: { 'transit/k': { type: 'ed25519' } } } })).close()
    await expect(createKernel({ ...options, seed: { keys: { 'transit/k': { type: 'aes256-gcm96' } } } })).rejects.toMatchObject({
      message: 'seed.keys: transit/k: the key has the type ed25519, not aes256-gcm96',
    })
  })

  it('fails if the store is sealed, because nothing can be created then', async () => {
    const opened = createKernel({ storage: memoryStorage(), seal: shamirSeal(), seed: SEED })
    await expect(opened).rejects.toMatchObject({ status: 503 })
  })
})

describe('createDevKernel({ rootToken })', () => {
  it('has the given root token, and no other', async () => {
    await using kernel = await createDevKernel({ rootToken: 'root' })
    expect(kernel.rootToken).toBe('root')
    const { status } = await kernel.handle({ method: 'GET', path: '/v1/sys/mounts', headers: { 'X-Service-Token': 'root' } })
    expect(status).toBe(200)
    expect((await kernel.tokens.listAccessors()).keys).toHaveLength(1)
  })

  it('accepts a store that has the token already', async () => {
    const options = durable()
    await (await createDevKernel({ ...options, rootToken: 'root' })).close()
    await using kernel = await createDevKernel({ ...options, rootToken: 'root' })
    expect(kernel.rootToken).toBe('root')
  })

  it('refuses the id of a token that is no root token', async () => {
    const options = durable()
    const first = await createDevKernel(options)
    await first.tokens.createToken({ id: 'app', policies: ['default'] })
    await first.close()
    await expect(createDevKernel({ ...options, rootToken: 'app' })).rejects.toThrow('it is no root token')
  })

  it('refuses ids that no token can have', async () => {
    for (const rootToken of ['', 'a b', 's.x', 5, null])
      await expect(createDevKernel({ rootToken: rootToken as string }), String(rootToken)).rejects.toThrow(/id|token/)
  })
})
