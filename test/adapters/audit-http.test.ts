/** Audit logs on HTTP servers, with real servers that answer well, badly, endlessly or not at all. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type HttpAuditOptions, httpAudit, httpAuditFactory } from '../../src/adapters/audit-http/index.ts'
import type { AuditEntry } from '../../src/core/contract/audit-entry.ts'
import { createKernel, type Kernel, keySeal, memoryStorage, verifyAudit } from '../../src/index.ts'
import { sender } from '../unit/audit/support.ts'
import { authority } from './orchestrator-kubernetes/authorities.ts'

const TOKEN = 'Bearer very-secret-token'
const ca = authority('audit-http-ca')

const closing: (() => unknown)[] = []
const sockets = new Set<Socket>()
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function listen(server: Server): Promise<number> {
  server.on('connection', (socket: Socket) => sockets.add(socket.on('close', () => sockets.delete(socket))))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  })
  return (server.address() as AddressInfo).port
}

interface Received {
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Answer = (response: ServerResponse, request: Received, n: number) => void

const OK: Answer = (response) => response.writeHead(204).end()

/** A server that records whole requests and then answers. */
async function collector(answer: Answer = OK, tls?: ServerOptions) {
  const requests: Received[] = []
  const accept = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    requests.push({ headers: request.headers, body })
    answer(response, requests.at(-1) as Received, requests.length)
  }
  const server = tls ? createTlsServer(tls, accept) : createServer(accept)
  const port = await listen(server as unknown as Server)
  const linesOf = () => requests.flatMap(({ body }) => body.split('\n').slice(0, -1))
  return { port, requests, linesOf }
}

function sinkTo(options: HttpAuditOptions) {
  const sink = httpAudit(options)
  closing.push(() => sink.close())
  return sink
}
const to = (port: number, more: Partial<HttpAuditOptions> = {}) =>
  sinkTo({ url: `http://127.0.0.1:${port}/logs?key=secret-key`, headers: { Authorization: TOKEN }, ...more })

type AuditPort = NonNullable<NonNullable<Parameters<typeof createKernel>[0]['ports']>['audit']>

async function open(audit: AuditPort, effectTimeoutMs = 15_000): Promise<Kernel> {
  const seal = keySeal(new Uint8Array(32).fill(9))
  const kernel = await createKernel({ storage: memoryStorage(), seal, initialize: true, effectTimeoutMs, ports: { audit } })
  closing.push(() => kernel.close())
  return kernel
}

const entry = (line: string) => ({ line }) as AuditEntry
const write = async (sink: ReturnType<typeof httpAudit>, line: string, signal?: AbortSignal) => sink.write(entry(line), signal)

describe('httpAudit', () => {
  it('posts each entry of a kernel as a line of NDJSON with the headers, and the lines can be verified', async () => {
    const { port, requests, linesOf } = await collector()
    const kernel = await open({ sinks: { log: to(port) } })
    await Promise.all(Array.from({ length: 20 }, (_, n) => kernel.kv.writeSecret({ path: `p${n}`, data: { n, 'ä\n': '€' } })))
    expect(await verifyAudit(kernel, { sink: 'log', lines: linesOf() })).toMatchObject({ ok: true, entries: 40 })
    for (const { headers } of requests)
      expect(headers).toMatchObject({ authorization: TOKEN, 'content-type': 'application/x-ndjson' })
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(requests.length)
    expect(sockets.size).toBe(1)
  })

  it('sends the entries that wait in one request, in order, up to maxBatchBytes', async () => {
    const { port, requests, linesOf } = await collector((response) => setTimeout(() => response.end(), 20))
    const lines = Array.from({ length: 300 }, (_, n) => `{"n":${n}}`)
    const sink = to(port)
    await Promise.all(lines.map((line) => write(sink, line)))
    expect(linesOf()).toEqual(lines)
    expect(requests.length).toBeLessThan(4)
    const single = to(port, { maxBatchBytes: 0 })
    const before = requests.length
    await Promise.all(lines.slice(0, 5).map((line) => write(single, line)))
    expect(requests.length - before).toBe(5)
  })

  it('calls a server over TLS with its own certificate, and refuses a server of another authority', async () => {
    const { port, linesOf } = await collector(OK, { ...ca.issue(), ca: ca.cert, requestCert: true })
    const url = `https://127.0.0.1:${port}/logs`
    await write(sinkTo({ url, tls: { ca: ca.cert, ...ca.issue({ purpose: 'client' }) } }), '{"n":1}')
    await expect(write(sinkTo({ url }), '{"n":2}')).rejects.toThrow(/^httpAudit: no secure connection \([A-Z_]+\)$/)
    expect(linesOf()).toEqual(['{"n":1}'])
  })

  const REFUSED: readonly (readonly [name: string, answer: Answer, message: RegExp])[] = [
    ['answers 500', (response, { body }) => response.writeHead(500).end(body), /^httpAudit: the server answered 500$/],
    ['answers 429', (response) => response.writeHead(429, { 'Retry-After': '1' }).end(), /^httpAudit: the server answered 429$/],
    [
      'redirects to another server',
      (response) => response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end(),
      /^httpAudit: the server answered 307$/,
    ],
    ['ends the connection', (response) => response.destroy(), /^httpAudit: connection reset \(ECONNRESET\)$/],
    [
      'ends the connection in its answer',
      (response) => response.writeHead(200, { 'Content-Length': '50' }).write('x', () => response.destroy()),
      /^httpAudit: connection reset \(ECONNRESET\)$/,
    ],
    [
      'answers without end',
      (response) => {
        const pump = () => {
          while (!response.destroyed && response.write('x'.repeat(10_000)));
        }
        response.writeHead(200).on('drain', pump)
        pump()
      },
      /^httpAudit: the answer is longer than 65536 bytes$/,
    ],
    [
      'sends headers without end',
      ({ socket }) => {
        const pump = () => {
          while (socket?.destroyed === false && socket.write(`X-A: ${'x'.repeat(1000)}\r\n`));
        }
        socket?.write('HTTP/1.1 200 OK\r\n')
        socket?.on('drain', pump)
        pump()
      },
      /^httpAudit: /,
    ],
    [
      'compresses its answer',
      (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('x'),
      /^httpAudit: the answer is compressed/,
    ],
  ]
  it.each(REFUSED)(
    'rejects an entry if the server %s, with neither a header nor the URL in the message',
    async (_, answer, message) => {
      let works = false
      const { port } = await collector((response, request, n) => (works ? OK : answer)(response, request, n))
      const sink = to(port)
      const error = await write(sink, '{"n":1}').catch((error: Error) => error)
      expect((error as Error).message).toMatch(message)
      expect(String((error as Error).stack)).not.toMatch(/very-secret-token|secret-key/)
      works = true
      await write(sink, '{"n":2}')
    },
  )

  it('rejects an entry at the abort if the server stalls, and ends the request', async () => {
    const { port, requests } = await collector((response, _, n) => n > 1 && response.end())
    const sink = to(port)
    const stop = new AbortController()
    const first = write(sink, '{"n":1}', stop.signal)
    await expect.poll(() => requests.length).toBe(1)
    // Waits for the first request, and is not sent after its abort.
    const second = write(sink, '{"n":2}', stop.signal)
    const third = write(sink, '{"n":3}')
    stop.abort(new Error('too late'))
    await expect(first).rejects.toThrow('too late')
    await expect(second).rejects.toThrow('too late')
    await third
    expect(requests.map(({ body }) => body)).toEqual(['{"n":1}\n', '{"n":3}\n'])
  })

  it('rejects further entries if too many bytes wait for a server that stalls', async () => {
    const { port } = await collector(() => {})
    const sink = to(port)
    const stop = new AbortController()
    const long = 'x'.repeat(1_000_000)
    const results = Array.from({ length: 17 }, () => write(sink, long, stop.signal).catch((error: Error) => error.message))
    expect(await results[16]).toMatch(/^httpAudit: too many bytes wait for the server/)
    stop.abort(new Error('too late'))
    expect(await Promise.all(results.slice(0, 16))).toEqual(Array(16).fill('too late'))
    await expect(write(sink, long, AbortSignal.timeout(1))).rejects.toThrow('timeout')
  })

  it('repeats a request once with the same key if the server has closed the kept connection, and no other request', async () => {
    const received: string[] = []
    let answers = 0
    // Answers the first request of a connection, and ends the connection at the second.
    const server = createRawServer((socket) => {
      let requests = 0
      socket
        .on('error', () => {})
        .on('data', (chunk) => {
          received.push(String(chunk))
          if (++requests > 1) {
            socket.resetAndDestroy()
          } else {
            answers++
            socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n')
          }
        })
    })
    const sink = to(await listen(server))
    await write(sink, '{"n":1}')
    await write(sink, '{"n":2}')
    expect(answers).toBe(2)
    const keys = received.map((text) => /idempotency-key: (.*)\r\n/i.exec(text)?.[1])
    expect(keys[1]).toBe(keys[2])
    expect(keys[0]).not.toBe(keys[1])
  })

  it('lets its kernel refuse requests while the server refuses entries, and work again afterwards', async () => {
    let works = true
    const { port } = await collector((response) => response.writeHead(works ? 200 : 503).end())
    const kernel = await open({ sinks: { log: to(port) } })
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    works = false
    await expect(kernel.kv.writeSecret({ path: 'b', data: { a: 1 } })).rejects.toMatchObject({
      code: 'ERR_AUDIT',
      committed: false,
    })
    works = true
    await kernel.kv.writeSecret({ path: 'c', data: { a: 1 } })
    expect((await kernel.kv.listSecrets({})).keys).toEqual(['a', 'c'])
  })

  it('lets its kernel refuse requests at the deadline while the server stalls, and work again afterwards', async () => {
    const held: ServerResponse[] = []
    let works = true
    const { port } = await collector((response) => void (works ? response.end() : held.push(response)))
    const kernel = await open({ sinks: { log: to(port) } }, 300)
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    works = false
    const refused = { code: 'ERR_AUDIT', committed: false }
    await expect(kernel.kv.writeSecret({ path: 'b', data: { a: 1 } })).rejects.toMatchObject(refused)
    await expect(kernel.kv.writeSecret({ path: 'b', data: { a: 1 } })).rejects.toMatchObject(refused)
    expect(held).toHaveLength(1)
    works = true
    const written = () =>
      kernel.kv.writeSecret({ path: 'c', data: { a: 1 } }).then(
        () => true,
        () => false,
      )
    await expect.poll(written, { timeout: 15_000 }).toBe(true)
  })

  it('lets no kernel open whose server cannot be reached, and names the reason', async () => {
    await expect(open({ sinks: { log: sinkTo({ url: 'http://127.0.0.1:9/' }) } })).rejects.toMatchObject({
      code: 'ERR_AUDIT',
      message: 'audit sink log: cannot be opened: httpAudit: connection refused (ECONNREFUSED)',
    })
  })

  it.each<[string, Partial<HttpAuditOptions>]>([
    ['a URL of another scheme', { url: 'ftp://logs.test/secret-key' }],
    ['a URL with a password', { url: 'https://me:secret-key@logs.test/' }],
    ['a text that is no URL', { url: 'secret-key' }],
    ['TLS settings for a URL without TLS', { url: 'http://logs.test', tls: {} }],
    ['a header with a line break', { headers: { 'X-Key': 'secret-key\r\nX: y' } }],
    ['a header name with a space', { headers: { 'X Key': 'secret-key' } }],
    ['a header that the sink sets', { headers: { 'content-length': '5' } }],
    ['a negative batch size', { maxBatchBytes: -1 }],
  ])('refuses %s with a TypeError that does not contain the value', (_, options) => {
    const make = () => httpAudit({ url: 'https://logs.test', ...options })
    expect(make).toThrow(TypeError)
    expect(make).not.toThrow('secret-key')
  })
})

describe('an audit device of the type http', () => {
  const enable = (kernel: Kernel, options: Record<string, unknown>) =>
    sender(kernel)('POST', 'sys/audit/log', { body: { type: 'http', options } })

  it('posts to a URL that the application allows, with the headers of the application', async () => {
    const { port, requests, linesOf } = await collector()
    const url = `http://127.0.0.1:${port}/logs`
    const targets = [{ url, headers: { Authorization: TOKEN } }]
    const kernel = await open({ factories: { http: httpAuditFactory({ targets }) } })
    expect((await enable(kernel, { uri: url })).status).toBe(204)
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    expect(requests[0]?.headers.authorization).toBe(TOKEN)
    expect(await verifyAudit(kernel, { sink: 'log', lines: linesOf() })).toMatchObject({ ok: true, entries: 2 })
    expect(JSON.stringify(await kernel.audit.listDevices())).not.toContain('very-secret-token')
  })

  it.each<[string, Record<string, unknown>]>([
    ['without a URL', {}],
    ['with a URL that the application does not allow', { uri: 'http://127.0.0.1:9/other' }],
    ['with headers', { uri: 'http://127.0.0.1:9/', headers: '{"X-A":"b"}' }],
    ['for a server that cannot be reached', { uri: 'http://127.0.0.1:9/' }],
  ])('is refused with 400 if configured %s', async (_, options) => {
    const kernel = await open({ factories: { http: httpAuditFactory({ targets: [{ url: 'http://127.0.0.1:9/' }] }) } })
    expect((await enable(kernel, options)).status).toBe(400)
    expect((await kernel.audit.listDevices()).devices).toEqual({})
  })
})
