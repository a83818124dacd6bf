import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, type KernelRequest, keySeal, memoryStorage } from '../../../src/index.ts'

let kernel: Kernel
let token: string

beforeAll(async () => {
  kernel = await createDevKernel()
  token = kernel.rootToken as string
  await kernel.transit.createKey({ name: 'k' })
})
afterAll(() => kernel.close())

const send = (method: string, path: string, more: Partial<KernelRequest> = {}) =>
  kernel.handle({ method, path, headers: { 'X-Service-Token': token }, ...more })

const post = (path: string, body: unknown) => send('POST', `/v1/transit/${path}`, { body })

describe('the envelope of an answer', () => {
  it('has all members in the documented order', async () => {
    const { status, headers, body } = await send('GET', '/v1/transit/keys/k')
    expect(status).toBe(200)
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Service-Index': expect.stringMatching(/^\d+$/),
    })
    expect(Object.keys(body as object)).toEqual([
      'request_id',
      'lease_id',
      'renewable',
      'lease_duration',
      'data',
      'wrap_info',
      'warnings',
      'auth',
      'mount_type',
    ])
    expect((body as { request_id: string }).request_id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
  })

  it('is omitted with status 204 if there is nothing to return', async () => {
    await post('keys/gone', {})
    await post('keys/gone/config', { deletion_allowed: true })
    const { status, body } = await send('DELETE', '/v1/transit/keys/gone')
    expect({ status, body }).toEqual({ status: 204, body: undefined })
  })

  it('has status 200 instead of 204 if the operation has a warning', async () => {
    const rule = { policy: 'path "a" { capabilities = ["read"] }' }
    const { status, body } = await send('POST', '/v1/sys/policies/acl/Upper', { body: rule })
    expect(status).toBe(200)
    expect((body as { warnings: string[] }).warnings).toEqual(['policy name was converted to upper'])
  })

  it('is omitted with status 204 even if there is a warning about unknown parameters', async () => {
    await post('keys/gone', {})
    await post('keys/gone/config', { deletion_allowed: true })
    const { status, body } = await send('DELETE', '/v1/transit/keys/gone', { query: { colour: 'red' } })
    expect({ status, body }).toEqual({ status: 204, body: undefined })
  })
})

describe('token authentication in kernel.handle', () => {
  const read = (headers: KernelRequest['headers']) => kernel.handle({ method: 'GET', path: '/v1/transit/keys/k', headers })

  it.each([
    ['a missing token', {}],
    ['an empty token', { 'X-Service-Token': '' }],
    ['an unknown token', { 'X-Service-Token': 's.000000000000000000000000' }],
    [
      'an unknown token with a valid bearer token',
      (right: string) => ({ 'X-Service-Token': 'wrong', Authorization: `Bearer ${right}` }),
    ],
    ['another authorization scheme', (right: string) => ({ Authorization: `Basic ${right}` })],
  ])('refuses %s with 403', async (_, headers) => {
    const { status, body } = await read(typeof headers === 'function' ? headers(token) : headers)
    expect({ status, body }).toEqual({ status: 403, body: { errors: ['permission denied'] } })
  })

  it.each([
    ['in the token header in any case', (right: string) => ({ 'x-service-TOKEN': right })],
    ['as the first of several values', (right: string) => ({ 'X-Service-Token': [right, 'other'] })],
    ['as a bearer token', (right: string) => ({ authorization: `bearer  ${right} ` })],
    [
      'as a bearer token with an empty token header',
      (right: string) => ({ 'X-Service-Token': '', Authorization: `Bearer ${right}` }),
    ],
  ])('accepts the root token %s', async (_, headers) => {
    expect((await read(headers(token))).status).toBe(200)
  })

  it('accepts in every kernel on the store the root token of the kernel that initialized it', async () => {
    const storage = memoryStorage()
    const seal = keySeal(new Uint8Array(32).fill(1))
    const first = await createKernel({ storage, seal, initialize: true })
    const second = await createKernel({ storage, seal, initialize: true })
    expect(first.rootToken).toMatch(/^s\.[0-9A-Za-z]{24}$/)
    expect(second.rootToken).toBeUndefined()
    const headers = { 'X-Service-Token': first.rootToken }
    expect((await second.handle({ method: 'LIST', path: '/v1/transit/keys', headers })).status).toBe(404)
    await first.close()
    await second.close()
  })
})

describe('kernel.handle', () => {
  it.each([
    ['GET', '/v1/transit/keys/none', 404],
    ['GET', '/v2/transit/keys/k', 404],
    ['GET', '/transit/keys/k', 404],
    ['GET', '/v1/nowhere/k', 404],
    ['GET', '/v1/transit/nothing', 404],
    ['GET', '/v1/transit/keys/k.', 404],
    ['GET', '/v1/transit/encrypt/k', 405],
    ['BREW', '/v1/transit/keys/k', 405],
    ['get', '/v1/transit/keys/k', 405],
    ['HEAD', '/v1/transit/keys/k', 405],
    ['OPTIONS', '/v1/transit/keys/k', 405],
    ['GET', '/v1/transit/../sys/raw', 400],
    ['GET', '/v1/transit/%2e%2e/x', 400],
    ['GET', '/v1/transit//keys/k', 400],
    ['GET', '/v1/transit/keys/%zz', 400],
    ['GET', '/v1/transit/keys/a%00b', 400],
    ['GET', '/v1/transit/keys/k?list=true', 400],
    ['POST', '/v1/transit/keys/', 400],
    ['GET', '/v1/', 404],
    ['GET', '', 404],
  ])('answers %s %s with %i', async (method, path, status) => {
    const response = await send(method, path)
    expect(response.status).toBe(status)
    expect((response.body as { errors: unknown }).errors).toBeInstanceOf(Array)
  })

  it('treats PUT as POST, and GET with list=true as LIST', async () => {
    const put = await send('PUT', '/v1/transit/encrypt/k', { body: { plaintext: 'eA==' } })
    expect(put.status).toBe(200)
    const listed = await send('GET', '/v1/transit/keys', { query: { list: 'true' } })
    expect((listed.body as { data: { keys: string[] } }).data.keys).toContain('k')
    expect((await send('GET', '/v1/transit/keys/k', { query: { list: 'false' } })).status).toBe(200)
    expect((await send('GET', '/v1/transit/keys', { query: { list: 'perhaps' } })).status).toBe(400)
  })
})

describe('the body of a call by path', () => {
  const encrypted = async (body: unknown) => (await send('POST', '/v1/transit/encrypt/k', { body })).status

  it('may be parsed JSON or the bytes of a JSON text', async () => {
    expect(await encrypted({ plaintext: 'eA==' })).toBe(200)
    expect(await encrypted(new TextEncoder().encode('{"plaintext":"eA=="}'))).toBe(200)
    expect(await encrypted(Buffer.from('{"plaintext":"eA=="}'))).toBe(200)
  })

  it.each([
    ['a list', []],
    ['a number', 7],
    ['an invalid JSON text', Buffer.from('{"plaintext"')],
    ['a date', new Date(0)],
    ['a function', () => {}],
    ['a cycle', Object.assign({}, ((o: Record<string, unknown>) => Object.assign(o, { self: o }))({}))],
  ])('is refused with 400 if it is %s', async (_, body) => {
    expect(await encrypted(body)).toBe(400)
  })

  it('is refused with 413 if it is larger than 32 MiB, whether it is text or a value', async () => {
    const megabyte = 'A'.repeat(1 << 20)
    const value = { plaintext: Array.from({ length: 33 }, () => megabyte) }
    expect(await encrypted(value)).toBe(413)
    expect(await encrypted(Buffer.from(JSON.stringify(value)))).toBe(413)
  })

  it('may have a member called __proto__, which is not used as a prototype', async () => {
    expect(await encrypted(JSON.parse('{"plaintext":"eA==","__proto__":{"key_version":9}}'))).toBe(200)
    expect(await encrypted(JSON.parse('{"constructor":1,"toString":2}'))).toBe(400)
  })

  it('causes warnings for unknown parameters, and for those that also occur in the path', async () => {
    const { body } = await post('encrypt/k', { plaintext: 'eA==', zebra: 1, apple: 2, name: 'other' })
    expect((body as { warnings: string[] }).warnings).toEqual([
      'Endpoint ignored these unrecognized parameters: [apple zebra]',
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [name]",
    ])
  })
})

describe('kernel.handle with a malformed request', () => {
  it.each([
    undefined,
    null,
    7,
    'GET',
    {},
    { method: 'GET' },
    { method: 1, path: 2 },
    { method: 'GET', path: '/v1/x', query: 7, headers: 'x' },
  ])('answers %j with a client error instead of throwing', async (request) => {
    const { status } = await kernel.handle(request as unknown as KernelRequest)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  })
})

describe('kernel.handle with getters in the request', () => {
  const throwing = (name: string) =>
    Object.defineProperty({ method: 'GET', path: '/v1/transit/keys/k' }, name, {
      enumerable: true,
      get: () => {
        throw new Error('no')
      },
    }) as unknown as KernelRequest

  it.each(['path', 'query', 'headers', 'body'])('answers 400 if the getter of %s throws', async (name) => {
    expect((await kernel.handle(throwing(name))).status).toBe(400)
  })

  it('answers 400 if the getter of a header or a query parameter throws', async () => {
    const bad = new Proxy({ a: 'b' }, { get: () => throwing('path').path })
    expect((await send('GET', '/v1/transit/keys/k', { query: bad })).status).toBe(400)
    expect((await send('GET', '/v1/transit/keys/k', { headers: bad })).status).toBe(400)
  })
})

describe('a kernel that is not open', () => {
  it('answers 503 while it is uninitialized or sealed', async () => {
    const storage = memoryStorage()
    const seal = keySeal(new Uint8Array(32).fill(2))
    const fresh = await createKernel({ storage, seal })
    expect((await fresh.handle({ method: 'GET', path: '/v1/transit/keys/k' })).status).toBe(503)
    await expect(fresh.transit.listKeys()).rejects.toMatchObject({ code: 'ERR_NOT_INITIALIZED' })
    const open = await createKernel({ storage, seal, initialize: true })
    const list = () => open.handle({ method: 'LIST', path: '/v1/transit/keys', headers: { 'X-Service-Token': open.rootToken } })
    await open.transit.createKey({ name: 'k' })
    await open.seal.seal()
    expect((await list()).status).toBe(503)
    await expect(open.transit.encrypt({ name: 'k', plaintext: new Uint8Array(1) })).rejects.toMatchObject({ code: 'ERR_SEALED' })
    await open.seal.unseal()
    expect((await list()).status).toBe(200)
    await open.close()
    await fresh.close()
  })

  it('is not created with a wrong seal key, but fails with ERR_SEALED', async () => {
    const storage = memoryStorage()
    await (await createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(3)), initialize: true })).close()
    await expect(createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(4)) })).rejects.toMatchObject({
      code: 'ERR_SEALED',
    })
  })

  it('refuses all calls after close, except further calls of close', async () => {
    const closed = await createDevKernel()
    await Promise.all([closed.close(), closed.close()])
    await closed.close()
    await expect(closed.transit.listKeys()).rejects.toThrow(TypeError)
    await expect(closed.tick()).rejects.toThrow(TypeError)
    expect((await closed.handle({ method: 'LIST', path: '/v1/transit/keys' })).status).toBe(503)
  })
})
