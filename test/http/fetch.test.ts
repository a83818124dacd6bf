import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchHandler, type RequestHandler } from '../../src/adapters/http/index.ts'
import { createDevKernel, type Kernel, type KernelRequest } from '../../src/index.ts'

const MAX_BODY_BYTES = 33_554_432

let kernel: Kernel
let handler: (request: Request) => Promise<Response>

beforeAll(async () => {
  kernel = await createDevKernel()
  handler = fetchHandler(kernel)
})
afterAll(() => kernel.close())

const send = (method: string, path: string, init: RequestInit = {}) =>
  handler(
    new Request(`https://secrets.test${path}`, { method, headers: { 'X-Service-Token': kernel.rootToken as string }, ...init }),
  )

/** A body without a declared length. */
const stream = (chunks: readonly Uint8Array[], cancelled = () => {}) => {
  const left = [...chunks]
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = left.shift()
      if (next) controller.enqueue(next)
      else controller.close()
    },
    cancel: cancelled,
  })
}

const streaming = (body: ReadableStream) => ({ body, duplex: 'half' }) as RequestInit

describe('fetchHandler', () => {
  it('writes, reads, lists and deletes a secret', async () => {
    expect((await send('POST', '/v1/secret/app/a', { body: '{"n":12345678901234567890}' })).status).toBe(204)
    const read = await send('GET', '/v1/secret/app/a')
    expect([read.status, read.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await read.text()).toContain('"n":12345678901234567890')
    for (const listed of [await send('LIST', '/v1/secret/app'), await send('GET', '/v1/secret/app?list=true')])
      expect(((await listed.json()) as { data: unknown }).data).toEqual({ keys: ['a'] })
    expect((await send('DELETE', '/v1/secret/app/a')).status).toBe(204)
    expect((await send('GET', '/v1/secret/app/a')).status).toBe(404)
  })

  it('answers without a body if the verb or the status permits no body', async () => {
    for (const [method, path] of [
      ['HEAD', '/v1/sys/health'],
      ['GET', '/v1/sys/health?activecode=204'],
      ['GET', '/v1/sys/health?activecode=205'],
      ['GET', '/v1/sys/health?activecode=304'],
    ] as const)
      expect(await (await send(method, path)).text()).toBe('')
  })

  it('accepts a body of 32 MiB, and refuses a larger one without reading all of it', async () => {
    const requests: KernelRequest[] = []
    const kept: RequestHandler = {
      handle: async (request) => {
        requests.push(request)
        return { status: 204, headers: {} }
      },
    }
    const keep = fetchHandler(kept)
    const post = (init: RequestInit) => keep(new Request('https://h/v1/a', { method: 'POST', ...init }))
    const mebi = new Uint8Array(1_048_576)
    expect((await post(streaming(stream(Array(32).fill(mebi))))).status).toBe(204)
    expect((requests[0] as { body: Uint8Array }).body.length).toBe(MAX_BODY_BYTES)
    let cancelled = 0
    const cancel = () => void cancelled++
    const over = await post(streaming(stream([...Array(32).fill(mebi), new Uint8Array(1), mebi, mebi], cancel)))
    expect([over.status, await over.json()]).toEqual([413, { errors: ['body: exceeds 33554432 bytes'] }])
    const announced = { ...streaming(stream([mebi], cancel)), headers: { 'Content-Length': String(MAX_BODY_BYTES + 1) } }
    expect((await post(announced)).status).toBe(413)
    expect([cancelled, requests.length]).toEqual([2, 1])
    expect((await post({})).status).toBe(204)
  })

  it("uses the caller's address that the application returns", async () => {
    await kernel.tokens.writeRole({ role_name: 'bound', token_bound_cidrs: ['10.0.0.0/8'] })
    const { client_token } = await kernel.tokens.createWithRole({ role_name: 'bound', policies: ['default'] })
    const newRequest = () => new Request('https://h/v1/auth/token/lookup-self', { headers: { 'X-Service-Token': client_token } })
    expect((await handler(newRequest())).status).toBe(403)
    expect((await fetchHandler(kernel, { remoteAddress: () => '10.1.2.3' })(newRequest())).status).toBe(200)
  })

  it("answers an internal error with status 500 and without the error's message", async () => {
    const broken = fetchHandler({ handle: () => Promise.reject(new Error('s3cret')) })
    const answer = await broken(new Request('https://h/v1/a'))
    expect([answer.status, await answer.json()]).toEqual([500, { errors: ['internal error'] }])
    const failing = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
    expect((await handler(new Request('https://h/v1/a', { method: 'POST', ...streaming(failing) }))).status).toBe(500)
    expect(() => fetchHandler({} as Kernel)).toThrow(TypeError)
  })
})
