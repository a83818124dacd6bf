import { once } from 'node:events'
import { createServer, request as nodeRequest, type RequestListener, type Server } from 'node:http'
import { connect, createServer as createHttp2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ListenerOptions, type RequestHandler, requestListener } from '../../src/adapters/http/index.ts'
import { createDevKernel, type Kernel, type KernelRequest } from '../../src/index.ts'
import { converse, tcp, until } from './raw-client.mjs'

const MOST = 33_554_432

let kernel: Kernel
let token: string
const servers: Server[] = []

beforeAll(async () => {
  kernel = await createDevKernel()
  token = kernel.rootToken as string
})
afterAll(() => kernel.close())
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(listener: RequestListener): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(listener)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const serveKernel = (options?: ListenerOptions) => serve(requestListener(kernel, options))

const openConnections = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, open) => resolve(open)))

/** A handler that records its requests. */
function recorder(): RequestHandler & { readonly requests: KernelRequest[] } {
  const requests: KernelRequest[] = []
  return {
    requests,
    handle: async (request) => {
      requests.push(request)
      return { status: 200, headers: { 'Content-Type': 'application/json' }, body: { ok: true } }
    },
  }
}

const authorized = () => ({ 'X-Service-Token': token })

describe('requestListener', () => {
  it('writes, reads and deletes a secret', async () => {
    const { url } = await serveKernel()
    const at = `${url}/v1/secret/app/one`
    const written = await fetch(at, { method: 'POST', headers: authorized(), body: '{"a":12345678901234567890,"ü":"ß"}' })
    expect([written.status, await written.text()]).toEqual([204, ''])
    const read = await fetch(at, { headers: authorized() })
    expect(read.headers.get('content-type')).toBe('application/json')
    expect(read.headers.get('cache-control')).toBe('no-store')
    expect(read.headers.get('x-service-index')).toMatch(/^\d+$/)
    const text = await read.text()
    expect(text).toContain('"a":12345678901234567890')
    expect(Buffer.byteLength(text)).toBe(Number(read.headers.get('content-length')))
    expect((await fetch(`${url}/v1/secret/app?list=true`, { headers: authorized() })).status).toBe(200)
    expect((await fetch(at, { method: 'DELETE', headers: authorized() })).status).toBe(204)
    expect((await fetch(at, { headers: authorized() })).status).toBe(404)
  })

  it('passes path, query and headers of a request to the kernel unchanged', async () => {
    const kept = recorder()
    const { server } = await serve(requestListener(kept))
    const head = 'Host: h\r\nX-Service-Token: one\r\nx-service-token: two\r\nX-Service-Wrap-TTL: 60\r\n'
    const path = '/v1/secret/a%2Fb/%C3%BC+c?a=1&b=x+y&a=%26&__proto__=p'
    await converse(tcp(server), [`GET ${path} HTTP/1.1\r\n${head}\r\n`], { answerCount: 1 })
    expect(kept.requests[0]).toMatchObject({ method: 'GET', path: '/v1/secret/a%2Fb/%C3%BC+c', remoteAddress: '127.0.0.1' })
    expect(Object.entries(kept.requests[0]?.query ?? {})).toEqual([
      ['a', ['1', '&']],
      ['b', 'x y'],
      ['__proto__', 'p'],
    ])
    expect(kept.requests[0]?.headers).toMatchObject({ 'x-service-token': ['one', 'two'], 'x-service-wrap-ttl': '60' })
    await converse(tcp(server), [`GET http://h/v1/a?b HTTP/1.1\r\n${head}\r\n`], { answerCount: 1 })
    expect(kept.requests[1]).toMatchObject({ path: '/v1/a', query: { b: '' } })
  })

  it('joins the chunks of a body, and ignores the body of a verb that has none', async () => {
    const kept = recorder()
    const { server } = await serve(requestListener(kept))
    const chunked = 'POST /v1/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n'
    const { answers } = await converse(tcp(server), [chunked, '3\r\n{"a\r\n', '4\r\n":1}\r\n0\r\n\r\n'], { answerCount: 1 })
    expect(answers[0]?.status).toBe(200)
    expect(Buffer.from(kept.requests[0]?.body as Uint8Array).toString()).toBe('{"a":1}')
    const ignored = 'DELETE /v1/a HTTP/1.1\r\nHost: h\r\nContent-Length: 40000000\r\n\r\n{"a":'
    const deleted = await converse(tcp(server), [ignored], { answerCount: 1 })
    expect(deleted.answers[0]?.status).toBe(200)
    expect(kept.requests[1]).not.toHaveProperty('body')
  })

  it('answers without a body if the verb or the status permits no body', async () => {
    const { url, server } = await serveKernel()
    const head = await fetch(`${url}/v1/sys/health`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const odd = ['204', '304', '299'].map((code) => `GET /v1/sys/health?activecode=${code} HTTP/1.1\r\nHost: h\r\n\r\n`)
    const { answers, closed } = await converse(tcp(server), odd, { answerCount: 3 })
    expect(answers.map(({ status, body }) => [status, body === ''])).toEqual([
      [204, true],
      [304, true],
      [299, false],
    ])
    expect(closed).toBe(false)
  })

  it('answers a path outside of /v1/ with 404, an unknown verb with 405, and an invalid path with 400 or 404', async () => {
    const { url, server } = await serveKernel()
    expect((await fetch(`${url}/`)).status).toBe(404)
    expect((await fetch(`${url}/v1/secret/a`, { method: 'PROPFIND', headers: authorized() })).status).toBe(405)
    for (const path of ['/v1/a/../b', '/v1//a', '/v1/%', '*', '//v1/a'])
      expect(
        [400, 404].includes(
          (await converse(tcp(server), [`OPTIONS ${path} HTTP/1.1\r\nHost: h\r\n\r\n`], { answerCount: 1 })).answers[0]?.status ??
            0,
        ),
      ).toBe(true)
  })

  it('uses the address of the connection as that of the caller, unless the application returns another address', async () => {
    const bound = async (network: string) => {
      await kernel.tokens.writeRole({ role_name: 'bound', token_bound_cidrs: [network] })
      return (await kernel.tokens.createWithRole({ role_name: 'bound', policies: ['default'] })).client_token
    }
    const client_token = await bound('127.0.0.1/32')
    const elsewhere = await bound('10.1.2.3/32')
    const lookup = async (url: string, sent: string) =>
      (await fetch(`${url}/v1/auth/token/lookup-self`, { headers: { 'X-Service-Token': sent, 'X-Real-IP': '10.1.2.3' } })).status
    const { url } = await serveKernel()
    expect([await lookup(url, client_token), await lookup(url, elsewhere)]).toEqual([200, 403])
    const proxied = await serveKernel({ remoteAddress: ({ headers }) => String(headers['x-real-ip']) })
    expect([await lookup(proxied.url, client_token), await lookup(proxied.url, elsewhere)]).toEqual([403, 200])
  })

  it("answers an internal error with status 500 and without the error's message", async () => {
    const broken: RequestHandler = { handle: () => Promise.reject(new Error('s3cret')) }
    const { url } = await serve(requestListener(broken))
    const answer = await fetch(`${url}/v1/a`)
    expect([answer.status, await answer.json()]).toEqual([500, { errors: ['internal error'] }])
    const odd = await serveKernel({
      remoteAddress: () => {
        throw new Error('s3cret')
      },
    })
    const refused = await fetch(`${odd.url}/v1/a`)
    expect([refused.status, await refused.json()]).toEqual([500, { errors: ['internal error'] }])
    const unwritable: RequestHandler = { handle: async () => ({ status: 200, headers: { 'X-Odd': 'a\nb' }, body: {} }) }
    const { url: other } = await serve(requestListener(unwritable))
    expect((await fetch(`${other}/v1/a`)).status).toBe(500)
    expect(() => requestListener(undefined as unknown as Kernel)).toThrow(TypeError)
  })
})

describe('requestListener with large, slow and broken bodies', () => {
  it('accepts a body of 32 MiB and refuses one of 32 MiB + 1 byte, whether its length is declared or not', async () => {
    const kept = recorder()
    const { url } = await serve(requestListener(kept))
    const most = Buffer.alloc(MOST, 'x')
    expect((await fetch(`${url}/v1/a`, { method: 'POST', body: most })).status).toBe(200)
    expect((kept.requests[0] as { body: Uint8Array }).body.length).toBe(MOST)
    const more = Buffer.alloc(MOST + 1, 'x')
    const announced = await fetch(`${url}/v1/a`, { method: 'POST', body: more })
    expect([announced.status, announced.headers.get('connection')]).toEqual([413, 'close'])
    expect(await announced.json()).toEqual({ errors: ['body: exceeds 33554432 bytes'] })
    const stream = new ReadableStream({
      start: (controller) => {
        for (let at = 0; at < more.length; at += 1_048_576) controller.enqueue(more.subarray(at, at + 1_048_576))
        controller.close()
      },
    })
    const unannounced = await fetch(`${url}/v1/a`, { method: 'POST', body: stream, duplex: 'half' } as RequestInit)
    expect(unannounced.status).toBe(413)
    expect(kept.requests.length).toBe(1)
  })

  it('answers a too large declared length with status 413, and closes the connection even if the caller keeps sending', async () => {
    const kept = recorder()
    const { server } = await serve(requestListener(kept))
    const announced = 'POST /v1/a HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n{'
    const pipelined = `${announced}${'x'.repeat(1000)}\r\n\r\nGET /v1/smuggled HTTP/1.1\r\nHost: h\r\n\r\n`
    // Concurrently, because the server reads on for two seconds before it closes the connection.
    const talks = await Promise.all([announced, pipelined].map((text) => converse(tcp(server), [text], { patience: 20_000 })))
    for (const { answers, closed } of talks) {
      expect(answers.map(({ status }) => status)).toEqual([413])
      expect(closed).toBe(true)
    }
    expect(kept.requests).toEqual([])
  })

  it('refuses a too large body over HTTP/2 without closing the connection', async () => {
    const kept = recorder()
    const server = createHttp2(requestListener(kept))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const stream = client.request({ ':method': 'POST', ':path': '/v1/a', 'content-length': String(MOST + 1) })
    stream.on('error', () => {})
    stream.write('{')
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    expect(headers[':status']).toBe(413)
    stream.close()
    const next = client.request({ ':method': 'GET', ':path': '/v1/a' })
    const [after] = (await once(next, 'response')) as [Record<string, unknown>]
    expect(after[':status']).toBe(200)
    expect(Object.keys(kept.requests[0]?.headers ?? {}).some((name) => name.startsWith(':'))).toBe(false)
    client.destroy()
    server.close()
  })

  it('does not call the kernel if the caller disconnects before the body is complete', async () => {
    const kept = recorder()
    const { server } = await serve(requestListener(kept))
    const socket = tcp(server)()
    socket.write('POST /v1/a HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n{"a"')
    await until(async () => (await openConnections(server)) === 1)
    socket.destroy()
    await until(async () => (await openConnections(server)) === 0)
    expect(kept.requests).toEqual([])
  })

  it('serves the next request after a caller has disconnected without waiting for its answer', async () => {
    const answers: (() => void)[] = []
    const waiting: RequestHandler = {
      handle: () =>
        new Promise((resolve) => {
          answers.push(() => resolve({ status: 200, headers: {}, body: { late: true } }))
        }),
    }
    const { server, url } = await serve(requestListener(waiting))
    const request = nodeRequest(`${url}/v1/a`)
    request.on('error', () => {})
    request.end()
    await until(() => answers.length === 1)
    request.destroy()
    await until(async () => (await openConnections(server)) === 0)
    answers[0]?.()
    const next = fetch(`${url}/v1/b`)
    await until(() => answers.length === 2)
    answers[1]?.()
    expect((await next).status).toBe(200)
  })

  it('does not limit the time of a slow body, so the requestTimeout of the server does', async () => {
    const server = createServer(
      { requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 50 },
      requestListener(recorder()),
    )
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const slow = 'POST /v1/a HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n{'
    const { answers, closed } = await converse(tcp(server), [slow])
    expect([answers[0]?.status, closed]).toEqual([408, true])
  })
})

describe('requestListener as middleware of an Express application', () => {
  it('serves /v1 and the paths below it, and no other paths', async () => {
    const app = express()
    app.use(requestListener(kernel))
    app.get('/v10', (_, response) => void response.send('mine'))
    const { url } = await serve(app)
    expect((await fetch(`${url}/v1/sys/health`)).status).toBe(200)
    expect(await (await fetch(`${url}/v10`)).text()).toBe('mine')
    expect((await fetch(`${url}/v1/secret/none`)).status).toBe(403)
  })

  it('can be mounted below a path prefix and after a body parser', async () => {
    const app = express()
    app.use(express.json())
    app.use('/vault', requestListener(kernel))
    const { url } = await serve(app)
    const headers = { ...authorized(), 'Content-Type': 'application/json' }
    const written = await fetch(`${url}/vault/v1/secret/parsed`, { method: 'PUT', headers, body: '{"a":"b"}' })
    expect(written.status).toBe(204)
    const read = (await (await fetch(`${url}/vault/v1/secret/parsed`, { headers })).json()) as { data: unknown }
    expect(read.data).toEqual({ a: 'b' })
  })
})
