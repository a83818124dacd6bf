/** A request listener under a prefix: the API begins at `/v1`, whether a framework or a server removed the prefix. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { fetchHandler, type ListenerOptions, type RequestHandler, requestListener } from '../../src/adapters/http/index.ts'

const answering: RequestHandler = {
  handle: async ({ path, query }) => ({
    status: path.startsWith('/v1') ? 200 : 404,
    headers: { 'Content-Type': 'application/json' },
    body: { path, query },
  }),
}

type Listener = ReturnType<typeof requestListener>
type Mounting = (mount: string, listener: Listener) => RequestListener

/** Removes the mount from `request.url`, as Connect, Fastify, Polka and h3 do. */
const connectLike: Mounting = (mount, listener) => (request, response) => {
  const whole = request.url as string
  const next = () => void response.writeHead(418).end()
  if (!new RegExp(`^${mount}(?:[/?]|$)`, 'i').test(whole)) return next()
  const rest = whole.slice(mount.length)
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  listener(Object.assign(request, { originalUrl: whole }), response, next)
}

const unused = (_: unknown, response: { status(code: number): { end(): void } }) => response.status(418).end()

const FRAMEWORKS: Record<string, Mounting> = {
  express: (mount, listener) => express().use(mount, listener).use(unused),
  'express router': (mount, listener) => express().use(express.Router().use(mount, listener)).use(unused),
  'express application in an application': (mount, listener) => {
    const at = mount.lastIndexOf('/')
    const inner = express().use(mount.slice(at), listener)
    return express()
      .use(mount.slice(0, at) || '/', inner)
      .use(unused)
  },
  connect: connectLike,
}

/** The mount, the requested path, and the path for the kernel. Undefined if the request goes to the next middleware. */
const REQUESTS: readonly (readonly [mount: string, url: string, path: string | undefined])[] = [
  ['/v1', '/v1/secret/app', '/v1/secret/app'],
  ['/v1', '/v1', '/v1'],
  ['/v1', '/v1/', '/v1/'],
  ['/v1', '/V1/secret/App', '/v1/secret/App'],
  ['/v1', '/v1/a%2Fb/%C3%BC', '/v1/a%2Fb/%C3%BC'],
  ['/v1', '/v1/v1/app', '/v1/v1/app'],
  ['/v1', '/v12/secret', undefined],
  ['/v1', '/other', undefined],
  ['/kms', '/kms/v1/secret/app', '/v1/secret/app'],
  ['/kms', '/kms/v1', '/v1'],
  ['/kms', '/kms/secret/app', undefined],
  ['/kms', '/kms/v12', undefined],
  ['/api/v1', '/api/v1/secret/app', '/v1/secret/app'],
  ['/api/v1/kms', '/api/v1/kms/v1/secret/app', '/v1/secret/app'],
  ['/v1/transit', '/v1/transit/encrypt/orders', '/v1/transit/encrypt/orders'],
  ['/v1/transit', '/v1/transit/v1/sys/health', '/v1/transit/v1/sys/health'],
  ['/v1/secret/v1', '/v1/secret/v1/app', '/v1/secret/v1/app'],
]

async function withServer<T>(listener: RequestListener, use: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const received = async (answer: Response) => ({
  status: answer.status,
  ...(answer.status === 200 ? ((await answer.json()) as object) : {}),
})

describe.each(Object.entries(FRAMEWORKS))('a listener mounted by %s', (_, mounting) => {
  it.each(REQUESTS)('below %s passes the URL %s to the kernel as %s', async (mount, url, path) => {
    const expected = (query: object) => (path === undefined ? { status: 418 } : { status: 200, path, query })
    await withServer(mounting(mount, requestListener(answering)), async (origin) => {
      expect(await received(await fetch(`${origin}${url}`))).toEqual(expected({}))
      expect(await received(await fetch(`${origin}${url}?list=true&a=/v1`))).toEqual(expected({ list: 'true', a: '/v1' }))
    })
  })

  it('passes the same path if the prefix is also an option of the listener', async () => {
    await withServer(mounting('/kms', requestListener(answering, { prefix: '/kms' })), async (origin) => {
      expect(await received(await fetch(`${origin}/kms/v1/secret/app`))).toMatchObject({ path: '/v1/secret/app' })
      expect((await fetch(`${origin}/kms/secret`)).status).toBe(418)
    })
  })
})

describe('a listener on a server without a router', () => {
  const serve = (options: ListenerOptions, next?: () => void) => (request: IncomingMessage, response: ServerResponse) =>
    requestListener(answering, options)(request, response, next)

  it('answers paths outside of its prefix with 404', async () => {
    await withServer(serve({ prefix: '/kms' }), async (origin) => {
      const sent = (path: string, init?: RequestInit) => fetch(`${origin}${path}`, init)
      expect(await received(await sent('/kms/v1/secret/app?version=2'))).toMatchObject({
        path: '/v1/secret/app',
        query: { version: '2' },
      })
      for (const path of ['/v1/secret/app', '/kms', '/kms/', '/kms/secret', '/kmsv1/a', '/KMS/v1/a', '/kms/v12', '/x/kms/v1/a'])
        for (const method of ['GET', 'POST']) {
          const answer = await sent(path, method === 'POST' ? { method, body: '{}' } : { method })
          expect([path, answer.status, await answer.json()]).toEqual([path, 404, { errors: ['path: must begin with /kms/v1/'] }])
        }
    })
  })

  it('passes paths outside of its prefix to the next handler', async () => {
    const paths: string[] = []
    const listener: RequestListener = (request, response) =>
      requestListener(answering, { prefix: '/kms' })(request, response, () => {
        paths.push(request.url as string)
        response.end()
      })
    await withServer(listener, async (origin) => {
      await fetch(`${origin}/v1/secret/app`)
      await fetch(`${origin}/kms/ui`)
    })
    expect(paths).toEqual(['/v1/secret/app', '/kms/ui'])
  })

  it('needs no prefix if the server removes the prefix from the URL', async () => {
    const listener: RequestListener = (request, response) => {
      request.url = (request.url as string).replace('/kms', '')
      serve({})(request, response)
    }
    await withServer(listener, async (origin) => {
      expect(await received(await fetch(`${origin}/kms/v1/secret/app`))).toMatchObject({ path: '/v1/secret/app' })
    })
  })
})

describe('a fetch handler with a prefix', () => {
  it('answers paths outside of the prefix with 404', async () => {
    const handler = fetchHandler(answering, { prefix: '/api/kms' })
    const get = (path: string) => handler(new Request(`http://host${path}`))
    expect(await received(await get('/api/kms/v1/secret/app?a=b'))).toMatchObject({ path: '/v1/secret/app', query: { a: 'b' } })
    for (const path of ['/v1/secret/app', '/api/kms/secret', '/api/kmsv1/a', '/']) expect((await get(path)).status).toBe(404)
  })
})

it.each(['kms', '/', '/kms/', '/kms//a', '/kms?a', '/#', 7])(
  'requestListener and fetchHandler refuse the prefix %j',
  (prefix) => {
    const options = { prefix: prefix as string }
    expect(() => requestListener(answering, options)).toThrow(TypeError)
    expect(() => fetchHandler(answering, options)).toThrow(/^prefix: must be a path/)
  },
)
