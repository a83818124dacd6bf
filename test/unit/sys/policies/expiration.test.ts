/** A policy can expire, and so can one path of a policy. Both expire at use, in every view and every process. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKernel, type Kernel, keySeal, memoryStorage, type Storage } from '../../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../../src/testing/index.ts'
import { ask, tickAll, tokenFor } from '../token/support.ts'

const HOUR = 3_600_000
const RIGHTS = `
path "secret/a" { capabilities = ["create", "read", "update", "delete", "list"] }
path "transit/encrypt/k" { capabilities = ["update"] }
path "sys/policies/explain" { capabilities = ["update", "sudo"] }
path "sys/wrapping/wrap" { capabilities = ["update"] }
`

let clock: FakeClock
let storage: Storage
/** Two kernels on one store. */
let kernels: readonly Kernel[]

beforeEach(async () => {
  clock = fakeClock()
  storage = memoryStorage()
  const options = { storage, seal: keySeal(new Uint8Array(32).fill(7)), clock }
  const first = await createKernel({ ...options, initialize: true })
  kernels = [first, await createKernel(options)]
  await first.kv.writeSecret({ path: 'a', data: { v: 1 } })
  await first.transit.createKey({ name: 'k' })
})
afterEach(async () => {
  for (const kernel of kernels) await kernel.close()
})

const first = (): Kernel => kernels[0] as Kernel
const root = () => ({ token: first().rootToken as string })
const inAnHour = (): string => new Date(clock.now() + HOUR).toISOString()
const allowed = async (call: Promise<unknown>): Promise<boolean> => {
  try {
    await call
    return true
  } catch (error) {
    expect((error as { code?: string }).code).toBe('ERR_PERMISSION_DENIED')
    return false
  }
}

/** For each way to use a right: whether `token` is still permitted to use it. */
const VIEWS: Readonly<Record<string, (kernel: Kernel, token: string) => Promise<boolean>>> = {
  'a read by path': async (kernel, token) => (await ask(kernel, 'GET', 'secret/a', undefined, { token })).status === 200,
  'a write by path': async (kernel, token) => (await ask(kernel, 'POST', 'secret/a', { v: 2 }, { token })).status === 204,
  'a LIST by path': async (kernel, token) => (await ask(kernel, 'LIST', 'secret/a', undefined, { token })).status !== 403,
  'a typed read': (kernel, token) => allowed(kernel.as(token).kv.readSecret({ path: 'a' })),
  'a typed write': (kernel, token) => allowed(kernel.as(token).kv.writeSecret({ path: 'a', data: { v: 3 } })),
  'a typed batch': (kernel, token) =>
    allowed(kernel.as(token).transit.encryptBatch({ name: 'k', batch_input: [{ plaintext: new Uint8Array(1) }] })),
  'a wrapped request': async (kernel, token) => {
    const headers = { 'X-Service-Token': token, 'X-Service-Wrap-TTL': '60' }
    return (await kernel.handle({ method: 'GET', path: '/v1/secret/a', headers })).status === 200
  },
  'its capabilities': async (kernel, token) =>
    (await ask(kernel, 'POST', 'sys/capabilities', { token, paths: ['secret/a'] }, root())).body.data['secret/a'].includes(
      'read',
    ),
  'an explanation': async (kernel, token) =>
    (await ask(kernel, 'POST', 'sys/policies/explain', { token, operation: 'read', path: 'secret/a' }, root())).body.data.allowed,
  'an explanation that it asks for': async (kernel, token) => {
    const body = { token, operation: 'read', path: 'secret/a' }
    return (await ask(kernel, 'POST', 'sys/policies/explain', body, { token })).status === 200
  },
  'the summary for consoles': async (kernel, token) => {
    const { body } = await ask(kernel, 'GET', 'sys/internal/ui/resultant-acl', undefined, { token })
    return body.data.exact_paths['secret/a'] !== undefined
  },
  'the mounts that it sees': async (kernel, token) => {
    const { body } = await ask(kernel, 'GET', 'sys/internal/ui/mounts', undefined, { token })
    return body.data.secret['secret/'] !== undefined
  },
}

/** Every way to let the rights expire after one hour. */
const ENDS: Readonly<Record<string, () => Promise<unknown>>> = {
  'a `ttl` by path': () => ask(first(), 'POST', 'sys/policies/acl/p', { policy: RIGHTS, ttl: '1h' }),
  'a `ttl` of seconds': () => ask(first(), 'PUT', 'sys/policies/acl/p', { policy: RIGHTS, ttl: 3600 }),
  'an `expiration` by path': () => ask(first(), 'POST', 'sys/policies/acl/p', { policy: RIGHTS, expiration: inAnHour() }),
  'an `expiration` in seconds': () =>
    ask(first(), 'POST', 'sys/policies/acl/p', { policy: RIGHTS, expiration: Math.floor(clock.now() / 1000) + 3600 }),
  'a `ttl` on the old path': () => ask(first(), 'POST', 'sys/policy/p', { rules: RIGHTS, ttl: '60m' }),
  'a `ttl` of the typed API': () => first().policies.writePolicy({ name: 'p', policy: RIGHTS, ttl: '1h' }),
  'an `expiration` of the typed API': () => first().policies.writePolicy({ name: 'p', policy: RIGHTS, expiration: inAnHour() }),
  'an `expiration` of each path in HCL': () => {
    const policy = RIGHTS.replaceAll('] }', `]\n expiration = "${inAnHour()}" }`)
    return first().policies.writePolicy({ name: 'p', policy })
  },
  'an `expiration` of each path in JSON': () => {
    const block = { capabilities: ['create', 'read', 'update', 'delete', 'list', 'sudo'], expiration: inAnHour() }
    const paths = ['secret/a', 'transit/encrypt/k', 'sys/policies/explain', 'sys/wrapping/wrap']
    return first().policies.writePolicy({
      name: 'p',
      policy: JSON.stringify({ path: Object.fromEntries(paths.map((p) => [p, block])) }),
    })
  },
}

const seen = async (token: string): Promise<Readonly<Record<string, boolean>>> => {
  const found: Record<string, boolean> = {}
  for (const [at, kernel] of kernels.entries())
    for (const [name, view] of Object.entries(VIEWS)) found[`${name}, process ${at}`] = await view(kernel, token)
  return found
}
const everywhere = (value: boolean) =>
  Object.fromEntries(kernels.flatMap((_, at) => Object.keys(VIEWS).map((name) => [`${name}, process ${at}`, value])))

describe('expiring rights of a policy', () => {
  it.each(Object.entries(ENDS))('given by %s end after one hour, for every way to use them', async (_, write) => {
    await write()
    const token = await tokenFor(first(), { policies: ['p'], ttl: '24h' })
    clock.set(clock.now() + HOUR - 1000)
    expect(await seen(token)).toEqual(everywhere(true))
    clock.set(clock.now() + 1000)
    expect(await seen(token)).toEqual(everywhere(false))
  })

  it('end for an open key handle, too', async () => {
    await first().policies.writePolicy({
      name: 'p',
      policy: 'path "transit/encrypt/k" { capabilities = ["update"] }\npath "transit/keys/k" { capabilities = ["read"] }',
      ttl: '1h',
    })
    const handle = await first()
      .as(await tokenFor(first(), { policies: ['p'], ttl: '24h' }))
      .transit.keyHandle('k')
    await expect.poll(() => handle.ready, { timeout: 60_000, interval: 5 }).toBe(true)
    expect(handle.encryptSync(new Uint8Array(1))).toMatch(/:v1:/)
    clock.set(clock.now() + HOUR)
    await first().transit.readKey({ name: 'k' })
    const used = (): unknown => {
      try {
        return handle.encryptSync(new Uint8Array(1))
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    await expect.poll(used, { timeout: 60_000, interval: 5 }).toBe('ERR_PERMISSION_DENIED')
    handle.close()
  })

  it('are not granted while the clock returns no valid time', async () => {
    await first().policies.writePolicy({ name: 'p', policy: RIGHTS, ttl: '1h' })
    await first().policies.writePolicy({
      name: 'q',
      policy: `path "secret/a" { capabilities = ["read"] expiration = "${inAnHour()}" }`,
    })
    const tokens = [await tokenFor(first(), { policies: ['p'] }), await tokenFor(first(), { policies: ['q'] })]
    for (const token of tokens) expect((await ask(first(), 'GET', 'secret/a', undefined, { token })).status).toBe(200)
    const start = clock.now()
    for (const time of [Number.NaN, Number.POSITIVE_INFINITY]) {
      clock.set(time)
      for (const token of tokens) expect((await ask(first(), 'GET', 'secret/a', undefined, { token })).status).not.toBe(200)
    }
    clock.set(start)
  })

  it('end if they are denials, but permanent denials stay in force', async () => {
    const until = inAnHour()
    await first().policies.writePolicy({ name: 'wide', policy: 'path "secret/*" { capabilities = ["read"] }' })
    await first().policies.writePolicy({ name: 'shut', policy: 'path "secret/a" { capabilities = ["deny"] }' })
    await first().policies.writePolicy({
      name: 'for-now',
      policy: `path "secret/a" { capabilities = ["deny"] expiration = "${until}" }`,
    })
    const always = await tokenFor(first(), { policies: ['wide', 'shut'] })
    const meanwhile = await tokenFor(first(), { policies: ['wide', 'for-now'] })
    const status = async (token: string) => (await ask(first(), 'GET', 'secret/a', undefined, { token })).status
    expect([await status(always), await status(meanwhile)]).toEqual([403, 403])
    clock.set(Number.NaN)
    for (const token of [always, meanwhile]) expect(await status(token)).not.toBe(200)
    clock.set(Date.parse(until))
    expect([await status(always), await status(meanwhile)]).toEqual([403, 200])
  })

  it('are deleted with the expired policy, but an expired default policy gets its built-in text again', async () => {
    await first().policies.writePolicy({ name: 'p', policy: RIGHTS, ttl: '1h' })
    const builtIn = (await first().policies.readPolicy({ name: 'default' })).policy
    await first().policies.writePolicy({ name: 'default', policy: RIGHTS, ttl: '1h' })
    clock.set(clock.now() + HOUR)
    for (const path of ['sys/policies/acl/p', 'sys/policy/p']) expect((await ask(first(), 'GET', path)).status).toBe(404)
    expect((await first().policies.readPolicy({ name: 'default' })).policy).toBe(builtIn)
    const { body } = await ask(first(), 'POST', 'auth/token/create', { policies: ['p'] })
    expect(body.warnings).toEqual(['Policy "p" does not exist'])
  })
})

const keysOf = async (part: string): Promise<readonly string[]> =>
  (await storage.scan('')).map(({ key }) => key).filter((key) => key.includes(part))

describe('the cleanup of expired policies', () => {
  it('deletes the policy and its due item, and publishes policy.deleted', async () => {
    const deleted: string[] = []
    first().events.on('policy.deleted', ({ namespace, name }) => void deleted.push(`${namespace} ${name}`))
    await first().namespaces.createNamespace({ name: 'ns' })
    await ask(first(), 'POST', 'sys/policies/acl/p', { policy: RIGHTS, ttl: '1h' })
    await ask(first(), 'POST', 'sys/policies/acl/deep/q', { policy: RIGHTS, ttl: '1h' }, { namespace: 'ns' })
    await tickAll(first())
    expect(await keysOf('r/core/policy/')).toHaveLength(2)
    clock.set(clock.now() + HOUR)
    await tickAll(first())
    expect(await keysOf('policy')).toEqual([])
    await expect.poll(() => deleted.sort()).toEqual([' p', 'ns/ deep/q'])
  })

  it('has no due item for a policy that was deleted, or written again without expiration', async () => {
    await first().namespaces.createNamespace({ name: 'ns' })
    for (const namespace of ['', 'ns'])
      await ask(first(), 'POST', 'sys/policies/acl/p', { policy: RIGHTS, ttl: '1h' }, { namespace })
    await ask(first(), 'POST', 'sys/policies/acl/q', { policy: RIGHTS, ttl: '1h' })
    await ask(first(), 'DELETE', 'sys/policies/acl/p')
    await ask(first(), 'POST', 'sys/policies/acl/q', { policy: RIGHTS })
    await ask(first(), 'DELETE', 'sys/namespaces/ns')
    await tickAll(first())
    expect(await keysOf('/due/')).toEqual([])
    clock.set(clock.now() + 2 * HOUR)
    await tickAll(first())
    expect((await ask(first(), 'GET', 'sys/policies/acl/q')).status).toBe(200)
  })

  it('makes the tick fail with 503 while the clock returns no valid time', async () => {
    await ask(first(), 'POST', 'sys/policies/acl/p', { policy: RIGHTS, ttl: '1h' })
    clock.set(Number.NaN)
    await expect(first().tick()).rejects.toMatchObject({ status: 503 })
    clock.set(Date.parse('2030-01-01T00:00:00Z'))
    await tickAll(first())
    expect(await keysOf('r/core/policy/')).toEqual([])
  })
})
