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

describe('the envelope', () => {
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

  it('answers 204 without a body where there is nothing to say', async () => {
    await post('keys/gone', {})
    await post('keys/gone/config', { deletion_allowed: true })
    const { status, body } = await send('DELETE', '/v1/transit/keys/gone')
    expect({ status, body }).toEqual({ status: 204, body: undefined })
  })

  it('turns 204 into 200 when the operation has a warning', async () => {
    const rule = { policy: 'path "a" { capabilities = ["read"] }' }
    const { status, body } = await send('POST', '/v1/sys/policies/acl/Upper', { body: rule })
    expect(status).toBe(200)
    expect((body as { warnings: string[] }).warnings).toEqual(['policy name was converted to upper'])
  })

  it('says nothing of unknown parameters where there is nothing else to say', async () => {
    await post('keys/gone', {})
    await post('keys/gone/config', { deletion_allowed: true })
    const { status, body } = await send('DELETE', '/v1/transit/keys/gone', { query: { colour: 'red' } })
    expect({ status, body }).toEqual({ status: 204, body: undefined })
  })
})

describe('tokens', () => {
  const read = (headers: KernelRequest['headers']) => kernel.handle({ method: 'GET', path: '/v1/transit/keys/k', headers })

  it.each([
    ['none', {}],
    ['an empty one', { 'X-Service-Token': '' }],
    ['a wrong one', { 'X-Service-Token': 's.000000000000000000000000' }],
    ['a wrong one beside a right bearer', (right: string) => ({ 'X-Service-Token': 'wrong', Authorization: `Bearer ${right}` })],
    ['another scheme', (right: string) => ({ Authorization: `Basic ${right}` })],
  ])('refuses %s with 403', async (_, headers) => {
    const { status, body } = await read(typeof headers === 'function' ? headers(token) : headers)
    expect({ status, body }).toEqual({ status: 403, body: { errors: ['permission denied'] } })
  })

  it.each([
    ['in the token header, whatever its case', (right: string) => ({ 'x-service-TOKEN': right })],
    ['as the first of several values', (right: string) => ({ 'X-Service-Token': [right, 'other'] })],
    ['as a bearer', (right: string) => ({ authorization: `bearer  ${right} ` })],
    ['as a bearer beside an empty header', (right: string) => ({ 'X-Service-Token': '', Authorization: `Bearer ${right}` })],
  ])('takes the root token %s', async (_, headers) => {
    expect((await read(headers(token))).status).toBe(200)
  })

  it('keeps the token of a store to the kernel that made it', async () => {
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

describe('verbs and paths', () => {
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

describe('bodies', () => {
  const encrypted = async (body: unknown) => (await send('POST', '/v1/transit/encrypt/k', { body })).status

  it('takes parsed JSON and the bytes of a JSON text alike', async () => {
    expect(await encrypted({ plaintext: 'eA==' })).toBe(200)
    expect(await encrypted(new TextEncoder().encode('{"plaintext":"eA=="}'))).toBe(200)
    expect(await encrypted(Buffer.from('{"plaintext":"eA=="}'))).toBe(200)
  })

  it.each([
    ['a list', []],
    ['a number', 7],
    ['text that is no JSON', Buffer.from('{"plaintext"')],
    ['a date', new Date(0)],
    ['a function', () => {}],
    ['a cycle', Object.assign({}, ((o: Record<string, unknown>) => Object.assign(o, { self: o }))({}))],
  ])('refuses %s with 400', async (_, body) => {
    expect(await encrypted(body)).toBe(400)
  })

  it('refuses more than 32 MiB with 413, as text and as a value', async () => {
    const megabyte = 'A'.repeat(1 << 20)
    const value = { plaintext: Array.from({ length: 33 }, () => megabyte) }
    expect(await encrypted(value)).toBe(413)
    expect(await encrypted(Buffer.from(JSON.stringify(value)))).toBe(413)
  })

  it('is not disturbed by members that objects inherit', async () => {
    expect(await encrypted(JSON.parse('{"plaintext":"eA==","__proto__":{"key_version":9}}'))).toBe(200)
    expect(await encrypted(JSON.parse('{"constructor":1,"toString":2}'))).toBe(400)
  })

  it('warns of parameters it does not know and of those the path replaces', async () => {
    const { body } = await post('encrypt/k', { plaintext: 'eA==', zebra: 1, apple: 2, name: 'other' })
    expect((body as { warnings: string[] }).warnings).toEqual([
      'Endpoint ignored these unrecognized parameters: [apple zebra]',
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [name]",
    ])
  })
})

describe('requests that are no requests', () => {
  it.each([
    undefined,
    null,
    7,
    'GET',
    {},
    { method: 'GET' },
    { method: 1, path: 2 },
    { method: 'GET', path: '/v1/x', query: 7, headers: 'x' },
  ])('answers %j instead of throwing', async (request) => {
    const { status } = await kernel.handle(request as unknown as KernelRequest)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  })
})

describe('requests whose members throw', () => {
  const throwing = (name: string) =>
    Object.defineProperty({ method: 'GET', path: '/v1/transit/keys/k' }, name, {
      enumerable: true,
      get: () => {
        throw new Error('no')
      },
    }) as unknown as KernelRequest

  it.each(['path', 'query', 'headers', 'body'])('answers 400 when %s cannot be read', async (name) => {
    expect((await kernel.handle(throwing(name))).status).toBe(400)
  })

  it('answers 400 when a header or a query parameter cannot be read', async () => {
    const bad = new Proxy({ a: 'b' }, { get: () => throwing('path').path })
    expect((await send('GET', '/v1/transit/keys/k', { query: bad })).status).toBe(400)
    expect((await send('GET', '/v1/transit/keys/k', { headers: bad })).status).toBe(400)
  })
})

describe('a kernel that is not open', () => {
  it('answers 503 when it is not initialized, when sealed, and again 200 when unsealed', async () => {
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

  it('says which seal is wrong instead of opening garbage', async () => {
    const storage = memoryStorage()
    await (await createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(3)), initialize: true })).close()
    await expect(createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(4)) })).rejects.toMatchObject({
      code: 'ERR_SEALED',
    })
  })

  it('is done after close(): a second close is the same, calls are refused', async () => {
    const closed = await createDevKernel()
    await Promise.all([closed.close(), closed.close()])
    await closed.close()
    await expect(closed.transit.listKeys()).rejects.toThrow(TypeError)
    await expect(closed.tick()).rejects.toThrow(TypeError)
    expect((await closed.handle({ method: 'LIST', path: '/v1/transit/keys' })).status).toBe(503)
  })
})
