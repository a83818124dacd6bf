import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage } from '../../../../src/index.ts'
import { movingClock } from '../../../fixtures/moving-clock.ts'

const KEY = new Uint8Array(32).fill(9)

const ask = (kernel: Kernel, method: string, path: string, token: string, more: { body?: object; headers?: object } = {}) =>
  kernel.handle({
    method,
    path: `/v1/${path}`,
    headers: { 'X-Service-Token': token, ...more.headers },
    ...(more.body ? { body: more.body } : {}),
  })

interface WrapInfo {
  readonly token: string
  readonly accessor: string
  readonly ttl: number
}

async function wrapped(kernel: Kernel, headers: object = { 'X-Service-Wrap-TTL': '60' }): Promise<WrapInfo> {
  await kernel.kv.writeSecret({ path: 'a', data: { big: 12345678901234567890n } })
  const { body } = await ask(kernel, 'GET', 'secret/a', kernel.rootToken!, { headers })
  return (body as { wrap_info: WrapInfo }).wrap_info
}

/** Two kernels on one store, and the root token. */
async function pair(): Promise<{ kernels: readonly [Kernel, Kernel]; root: string }> {
  const storage = memoryStorage()
  const first = await createKernel({ storage, seal: keySeal(KEY), initialize: true })
  const second = await createKernel({ storage, seal: keySeal(KEY) })
  return { kernels: [first, second], root: first.rootToken! }
}

describe('a wrapped answer', () => {
  it('can be unwrapped exactly once, and is then unchanged', async () => {
    const kernel = await createDevKernel()
    const { token } = await wrapped(kernel)
    const opened = await ask(kernel, 'POST', 'sys/wrapping/unwrap', token)
    expect(opened.body).toMatchObject({ data: { big: 12345678901234567890n }, lease_duration: 2764800, wrap_info: null })
    expect((await ask(kernel, 'POST', 'sys/wrapping/unwrap', token)).status).toBe(400)
    await kernel.close()
  })

  it.each([
    ['in one kernel', 1],
    ['in two kernels over one store', 2],
  ])('is opened by exactly one of 64 concurrent unwraps and rewraps, %s', async (_, count) => {
    const { kernels, root } = await pair()
    const info = await ask(kernels[0], 'LIST', 'sys/policies/acl', root, { headers: { 'X-Service-Wrap-TTL': '60' } })
    const { token } = (info.body as { wrap_info: WrapInfo }).wrap_info
    const answers = await Promise.all(
      Array.from({ length: 64 }, (__, i) => {
        const kernel = kernels[i % count] as Kernel
        if (i % 3 === 0) return ask(kernel, 'POST', 'sys/wrapping/rewrap', root, { body: { token } })
        if (i % 3 === 1) return ask(kernel, 'POST', 'sys/wrapping/unwrap', root, { body: { token } })
        return ask(kernel, 'POST', 'sys/wrapping/unwrap', token)
      }),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status !== 200 && status !== 400 && status !== 403)).toEqual([])
    for (const kernel of kernels) await kernel.close()
  })

  it('cannot be unwrapped after its TTL, even if no tick has run', async () => {
    const clock = movingClock()
    const kernel = await createDevKernel({ clock })
    const { token } = await wrapped(kernel)
    clock.advance(60_001)
    expect((await ask(kernel, 'POST', 'sys/wrapping/unwrap', kernel.rootToken!, { body: { token } })).status).toBe(400)
    await kernel.close()
  })

  it('leaves no records after it was unwrapped', async () => {
    const storage = memoryStorage()
    const kernel = await createKernel({ storage, seal: keySeal(KEY), initialize: true })
    const keys = async () => (await storage.scan('l/core/')).map(({ key }) => key)
    await kernel.kv.writeSecret({ path: 'a', data: { v: 1 } })
    const before = await keys()
    const { token } = await wrapped(kernel)
    await ask(kernel, 'POST', 'sys/wrapping/unwrap', kernel.rootToken!, { body: { token } })
    for (let done = 1; done > 0; ) done = (await kernel.tick()).done
    expect(await keys()).toEqual(before)
    await kernel.close()
  })

  it('can be a signed JWT that clients verify with sys/wrapping/pubkey', async () => {
    const kernel = await createDevKernel()
    const { token } = await wrapped(kernel, { 'X-Service-Wrap-TTL': '60', 'X-Service-Wrap-Format': 'jwt' })
    const { body } = await ask(kernel, 'GET', 'sys/wrapping/pubkey', '')
    const key = createPublicKey((body as { data: { pubkey: string } }).data.pubkey)
    const [header = '', claims = '', signature = ''] = token.split('.')
    const signed = Buffer.from(`${header}.${claims}`)
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'ES512', typ: 'JWT' })
    expect(verify('sha512', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))).toBe(true)
    expect((await ask(kernel, 'POST', 'sys/wrapping/unwrap', token)).status).toBe(200)
    await kernel.close()
  })

  it('is not returned for a refused request or an invalid TTL', async () => {
    const kernel = await createDevKernel()
    const root = kernel.rootToken!
    const headers = { 'X-Service-Wrap-TTL': '60' }
    expect((await ask(kernel, 'GET', 'secret/none', root, { headers })).status).toBe(404)
    expect((await ask(kernel, 'POST', 'secret/a', root, { headers, body: {} })).status).toBe(400)
    expect((await ask(kernel, 'GET', 'secret/none', root, { headers: { 'X-Service-Wrap-TTL': '500ms' } })).status).toBe(400)
    expect((await ask(kernel, 'GET', 'secret/none', root, { headers: { 'X-Service-Wrap-TTL': '9999999h' } })).status).toBe(400)
    await kernel.close()
  })
})

describe('kernel.wrapping', () => {
  it('wraps an object that a holder of the token can unwrap exactly once', async () => {
    const kernel = await createDevKernel()
    const { token, ttl } = await kernel.wrapping.wrap({ data: { secret: 'x' }, ttl: '5m' })
    expect(ttl).toBe(300)
    expect(await kernel.wrapping.lookupWrapping({ token })).toMatchObject({
      creation_ttl: 300,
      creation_path: 'sys/wrapping/wrap',
    })
    const { token: fresh } = await kernel.wrapping.rewrap({ token })
    await expect(kernel.wrapping.unwrap({ token })).rejects.toMatchObject({ status: 400 })
    const { answer } = await kernel.as(fresh).wrapping.unwrap()
    expect(answer['data']).toEqual({ secret: 'x' })
    await expect(kernel.wrapping.unwrap({ token: fresh })).rejects.toMatchObject({ status: 400 })
    await expect(kernel.wrapping.wrap({ data: { v: 1 } })).rejects.toMatchObject({ status: 400 })
    await kernel.close()
  })
})
