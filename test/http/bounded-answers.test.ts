/** The memory that answers hold while their clients do not read them. */
import { once } from 'node:events'
import { type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2'
import type { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { fetchHandlerWithLimits } from '../../src/adapters/http/fetch-handler.ts'
import { MAX_SERVED_STREAMS } from '../../src/adapters/http/http2-connections.ts'
import { CONNECTION_ALLOWANCE_BYTES } from '../../src/adapters/http/memory-budget.ts'
import { memoryBoundsOf, type RequestHandler } from '../../src/adapters/http/request-handler.ts'
import { listenerWithLimits } from '../../src/adapters/http/request-listener.ts'
import type { KernelRequest, KernelResponse } from '../../src/index.ts'
import { AnswerReader } from './answer-reader.ts'
import { type Front, type FrontKind, HTTP1_FRONTS, HTTP2_FRONTS, openFront } from './fronts.ts'
import { until } from './raw-client.mjs'

const KIB = 1024
const MIB = 1024 * KIB

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close()
})

const request = (path: string, verb = 'GET') => `${verb} ${path} HTTP/1.1\r\nHost: h\r\n\r\n`

/** Requests with distinct names. */
const requests = (count: number, size: number, { verbs = ['GET'] }: FrontKind) =>
  Array.from({ length: count }, (_, i) => request(`/v1/${i}/${size}`, verbs[i % verbs.length])).join('')

/** The first line of an answer, which names its request. */
const nameIn = (body: Uint8Array | string) => Buffer.from(body.slice(0, 100)).toString().split('\n')[0]

/** Answers `/v1/<name>/<size>` with that many bytes and a first line that names the request. */
class Sized implements RequestHandler {
  /** The requests that have begun. */
  readonly begun: KernelRequest[] = []
  /** Called when a request begins. */
  onBegin = (): void => {}

  async handle(request: KernelRequest): Promise<KernelResponse> {
    this.begun.push(request)
    this.onBegin()
    return { status: 200, headers: {}, body: `${request.path}\n${'x'.repeat(Number(request.path.split('/')[3]))}` }
  }
}

interface Serving {
  readonly handles?: RequestHandler
  readonly maxBodyBytes?: number
  readonly stallTimeoutMs?: number
}

async function serve(kind: Parameters<typeof openFront>[0], { handles = new Sized(), ...options }: Serving = {}) {
  const bounds = memoryBoundsOf(options)
  const front = await openFront(kind, listenerWithLimits(bounds, handles))
  closing.push(() => front.close())
  return { front, budget: bounds.budget, connect: () => opened(front) }
}

function opened(front: Front): Duplex {
  const socket = front.connect()
  closing.push(() => socket.destroy())
  return socket
}

/** Some turns of the event loop, during which bounded quantities must not grow. */
async function turns(): Promise<void> {
  for (let i = 0; i < 50; i++) await turn()
}

describe.each(Object.entries(HTTP1_FRONTS))('pipelined requests to %s', (_, kind) => {
  it('are started one at a time, each after the answers to the requests before it were sent', async () => {
    const handles = new Sized()
    const { front, budget, connect } = await serve(kind, { handles })
    const unsent: number[] = []
    handles.onBegin = () => {
      for (const { writableLength } of front.sockets) unsent.push(writableLength)
    }
    const size = 512 * KIB
    const client = connect()
    // More than the socket buffers of the operating system hold.
    client.write(requests(64, size, kind))
    client.pause()
    await until(() => handles.begun.length > 0 && [...front.sockets].some(({ writableLength }) => writableLength > 0))
    await turns()
    expect(Math.max(...unsent)).toBe(0)
    expect(budget.held).toBeGreaterThan(0)
    expect(budget.held).toBeLessThan(MIB)
    client.destroy()
    await until(() => budget.held === 0)
    const count = 12
    const reading = connect()
    reading.write(requests(count, size, kind))
    const answers = await new AnswerReader(reading).read(count)
    expect(answers.map(({ body }) => nameIn(body))).toEqual(Array.from({ length: count }, (_, i) => `/v1/${i}/${size}`))
    expect(Math.max(...unsent)).toBe(0)
    await until(() => budget.held === 0)
  })

  it('are not read from the socket while an earlier request is processed', async () => {
    const handles: RequestHandler = { handle: () => new Promise(() => {}) }
    const { front, connect } = await serve(kind, { handles })
    const client = connect()
    client.write(requests(1, 0, kind))
    const flood = requests(1000, 0, kind)
    for (let i = 0; i < 100; i++) client.write(flood)
    await until(() => [...front.sockets].some(({ bytesRead }) => bytesRead > 0))
    await turns()
    // A packet with the first requests, and a few packets that Node reads before it parses the second request.
    for (const { bytesRead = 0 } of front.sockets) expect(bytesRead).toBeLessThan(MIB)
  })

  it('are refused with status 503, and the connection is closed, if the memory for waiting requests is used up', async () => {
    let answerFirst = () => {}
    const handles: RequestHandler = {
      handle: () =>
        new Promise((resolve) => {
          answerFirst = () => resolve({ status: 200, headers: {}, body: {} })
        }),
    }
    const { budget, connect } = await serve(kind, { handles, maxBodyBytes: 200 * KIB })
    const client = connect()
    let text = ''
    client.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    client.write(request('/v1/a/0').repeat(100))
    await until(() => budget.held > 0)
    await turns()
    expect(budget.held).toBeLessThanOrEqual(200 * KIB + CONNECTION_ALLOWANCE_BYTES)
    const step = setInterval(() => answerFirst())
    await once(client, 'close')
    clearInterval(step)
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    expect(statuses.length).toBeLessThan(100)
    expect(statuses.slice(0, -1).every((status) => status === '200')).toBe(true)
    expect(statuses.at(-1)).toBe('503')
    expect(text).toContain('Retry-After: 1\r\n')
    await until(() => budget.held === 0)
  })

  it('are not started while an earlier request is processed, so their memory is bounded', async () => {
    const signals: AbortSignal[] = []
    const handles: RequestHandler = {
      handle: ({ signal }) => {
        signals.push(signal as AbortSignal)
        return new Promise(() => {})
      },
    }
    const { budget, connect } = await serve(kind, { handles })
    const client = connect()
    client.write(requests(500, 0, kind))
    await until(() => signals.length > 0)
    await turns()
    expect(signals).toHaveLength(1)
    expect(budget.held).toBeLessThan(4 * MIB)
  })
})

describe.each(Object.entries(HTTP2_FRONTS))('HTTP/2 streams of %s', (_, kind) => {
  async function session(front: Front, initialWindowSize: number) {
    const socket = front.connect()
    if (kind.isTls) await once(socket, 'secureConnect')
    const client = connectHttp2('http://h', { createConnection: () => socket, settings: { initialWindowSize } })
    client.on('error', () => {})
    closing.push(() => client.destroy())
    await once(client, 'remoteSettings')
    return client
  }

  const bodyOf = async (stream: ClientHttp2Stream): Promise<string> => {
    let text = ''
    for await (const chunk of stream) text += chunk
    return text
  }

  it('are started in a limited number if the peer accepts no data, even if it opens 1,000 streams', async () => {
    const handles = new Sized()
    const { front, budget } = await serve(kind, { handles })
    const client = await session(front, 0)
    const count = 1000
    const streams = Array.from({ length: count }, (_, i) => client.request({ ':path': `/v1/${i}/${100 * KIB}` }))
    for (const stream of streams) stream.on('error', () => {})
    await until(() => handles.begun.length === MAX_SERVED_STREAMS && budget.held > 5 * MIB)
    await turns()
    expect(handles.begun).toHaveLength(MAX_SERVED_STREAMS)
    expect(budget.held).toBeLessThan(8 * MIB)
    client.destroy()
    await until(() => budget.held === 0)
  })

  it('are all answered after the peer opens its window', async () => {
    const handles = new Sized()
    const { front, budget } = await serve(kind, { handles })
    const client = await session(front, 0)
    const streams = Array.from({ length: 100 }, (_, i) => client.request({ ':path': `/v1/${i}/${20 * KIB}` }))
    await until(() => handles.begun.length === MAX_SERVED_STREAMS)
    client.settings({ initialWindowSize: 1 << 20 })
    const bodies = await Promise.all(streams.map(bodyOf))
    expect(bodies.map(nameIn)).toEqual(streams.map((_, i) => `/v1/${i}/${20 * KIB}`))
    await until(() => budget.held === 0)
  })

  it('without an answer do not prevent other streams from being answered', async () => {
    const signals: AbortSignal[] = []
    const handles: RequestHandler = {
      handle: (request) => {
        if (request.path !== '/v1/blocks') return Promise.resolve({ status: 200, headers: {}, body: {} })
        signals.push(request.signal as AbortSignal)
        return new Promise(() => {})
      },
    }
    const { front } = await serve(kind, { handles })
    const client = await session(front, 65_535)
    const blocked = Array.from({ length: 2 * MAX_SERVED_STREAMS }, () => client.request({ ':path': '/v1/blocks' }))
    for (const stream of blocked) stream.on('error', () => {})
    await until(() => signals.length === blocked.length)
    expect(await bodyOf(client.request({ ':path': '/v1/a' }))).toBe('{}\n')
    client.destroy()
    await until(() => signals.every(({ aborted }) => aborted))
  })

  it('whose peer stops reading are closed after the timeout, while other streams of the connection are still answered', async () => {
    const { front, budget } = await serve(kind, { stallTimeoutMs: 200 })
    const client = await session(front, 65_535)
    const stalled = client.request({ ':path': `/v1/stalled/${200 * KIB}` })
    const ended = new Promise((resolve) => stalled.on('close', resolve).on('error', () => {}))
    let isClosed = false
    void ended.then(() => (isClosed = true))
    while (!isClosed) expect(await bodyOf(client.request({ ':path': '/v1/a/1000' }))).toContain('/v1/a/1000')
    expect(client.destroyed).toBe(false)
    stalled.resume()
    await until(() => budget.held === 0)
  })

  it('whose request bodies stall are answered with status 408, and release their memory', async () => {
    const { front, budget } = await serve(kind, { stallTimeoutMs: 50 })
    const client = await session(front, 65_535)
    const streams = Array.from({ length: 10 }, () => client.request({ ':path': '/v1/a/0', ':method': 'POST' }))
    const statuses = streams.map(async (stream) => {
      stream.on('error', () => {}).write('a'.repeat(1000))
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
      return headers[':status']
    })
    expect(await Promise.all(statuses)).toEqual(streams.map(() => 408))
    await until(() => budget.held === 0)
  })

  it('are closed with their connection if none makes progress within the timeout', async () => {
    const { front, budget } = await serve(kind, { stallTimeoutMs: 50 })
    const client = await session(front, 0)
    for (let i = 0; i < 100; i++) client.request({ ':path': `/v1/${i}/${20 * KIB}` }).on('error', () => {})
    await once(client, 'close')
    await until(() => budget.held === 0)
    expect(front.sockets.size).toBe(0)
  })
})

describe.each(Object.entries(HTTP1_FRONTS).slice(0, 2))('the body budget of a listener on %s', (_, kind) => {
  /** Opens connections that read nothing of a large answer, until the budget is used up. */
  async function exhaust({ front, budget, connect }: Awaited<ReturnType<typeof serve>>, max: number): Promise<Duplex[]> {
    const stalled: Duplex[] = []
    while (budget.held <= max - 8 * MIB) {
      const client = connect()
      client.pause()
      client.write(request(`/v1/stalled/${8 * MIB}`))
      stalled.push(client)
      await until(() => front.sockets.size === stalled.length && budget.held > (stalled.length - 1) * 8 * MIB)
      await until(() => [...front.sockets].every(({ writableLength }) => writableLength > 0))
    }
    return stalled
  }

  it('refuses a large answer with 503 and Retry-After while it is used up, but no small answer', async () => {
    const max = 20 * MIB
    const serving = await serve(kind, { maxBodyBytes: max })
    const stalled = await exhaust(serving, max)
    expect(stalled).toHaveLength(2)
    const send = async (path: string) => {
      const client = serving.connect()
      client.write(request(path))
      return (await new AnswerReader(client).read(1))[0]
    }
    const refused = await send(`/v1/large/${8 * MIB}`)
    expect(refused?.status).toBe(503)
    expect(refused?.head).toContain('Retry-After: 1')
    expect((await send('/v1/small/1000'))?.status).toBe(200)
    for (const client of stalled) client.destroy()
    await until(() => serving.budget.held === 0)
    expect((await send(`/v1/large/${8 * MIB}`))?.status).toBe(200)
  })

  it('is released when the connection of a peer that stopped reading is closed', async () => {
    const serving = await serve(kind, { stallTimeoutMs: 50 })
    const client = serving.connect()
    client.pause()
    client.write(request(`/v1/stalled/${16 * MIB}`).repeat(3))
    await until(() => serving.budget.held > 0)
    await until(() => serving.budget.held === 0 && serving.front.sockets.size === 0)
  })

  it("contains the answer to a HEAD request only while the answer's length is computed", async () => {
    const serving = await serve(kind, { maxBodyBytes: 20 * MIB })
    const head = request(`/v1/a/${8 * MIB}`, 'HEAD')
    const client = serving.connect()
    let text = ''
    client.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    client.write(head.repeat(5))
    await until(() => text.split('HTTP/1.1 200').length === 6)
    await until(() => serving.budget.held === 0)
  })
})

describe.each(Object.entries(HTTP1_FRONTS).slice(0, 2))('a stalled request body to %s', (_, kind) => {
  it.each([
    ['with a declared length', 'Content-Length: 2000000\r\n\r\n', 'a'.repeat(1000)],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n', '5\r\naaaaa\r\n'],
  ])('is answered with status 408 and releases its memory: %s', async (__, length, part) => {
    const { budget, connect } = await serve(kind, { stallTimeoutMs: 50 })
    const client = connect()
    client.write(`POST /v1/a/0 HTTP/1.1\r\nHost: h\r\n${length}${part}`)
    const [answer] = await new AnswerReader(client).read(1)
    expect(answer?.status).toBe(408)
    expect(answer?.head).toContain('Connection: close')
    await until(() => budget.held === 0)
  })
})

describe('the body budget of a fetch handler', () => {
  const ask = (handler: (request: Request) => Promise<Response>, path: string, init: RequestInit = {}) =>
    handler(new Request(`http://h${path}`, init))
  const prepare = (options: Omit<Serving, 'handles'> = {}) => {
    const bounds = memoryBoundsOf(options)
    return { budget: bounds.budget, handler: fetchHandlerWithLimits(bounds, new Sized()) }
  }

  it('contains an answer until the caller has read it', async () => {
    const { budget, handler } = prepare()
    const response = await ask(handler, `/v1/a/${MIB}`)
    expect(budget.held).toBeGreaterThan(MIB)
    expect(response.headers.get('Content-Length')).toBe(String(budget.held))
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(MIB)
    expect(budget.held).toBe(0)
  })

  it('no longer contains an answer that is canceled, aborted or not read within the timeout', async () => {
    const { budget, handler } = prepare({ stallTimeoutMs: 50 })
    await (await ask(handler, `/v1/a/${MIB}`)).body?.cancel()
    expect(budget.held).toBe(0)
    const caller = new AbortController()
    const aborted = await ask(handler, `/v1/a/${MIB}`, { signal: caller.signal })
    caller.abort()
    expect(budget.held).toBe(0)
    await expect(aborted.text()).rejects.toThrow()
    const unread = await ask(handler, `/v1/a/${MIB}`)
    await until(() => budget.held === 0)
    await expect(unread.text()).rejects.toThrow('not read in time')
  })

  it('refuses a large answer with 503 and Retry-After while it is used up, but no small answer', async () => {
    const { budget, handler } = prepare({ maxBodyBytes: 3 * MIB })
    const held = await Promise.all(Array.from({ length: 100 }, (_, i) => ask(handler, `/v1/${i}/${MIB}`)))
    expect(budget.held).toBeLessThanOrEqual(3 * MIB)
    const refused = held.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThanOrEqual(98)
    expect(refused.map(({ headers }) => headers.get('Retry-After'))).toEqual(refused.map(() => '1'))
    expect((await ask(handler, '/v1/a/1000')).status).toBe(200)
    await Promise.all(held.map((response) => response.text()))
    expect(budget.held).toBe(0)
    expect((await ask(handler, `/v1/a/${MIB}`)).status).toBe(200)
  })
})

it('memoryBoundsOf refuses an invalid stall timeout', () => {
  for (const stallTimeoutMs of [0, -1, 1.5, Number.NaN, 2 ** 31, '1'])
    expect(() => memoryBoundsOf({ stallTimeoutMs } as Serving)).toThrow(TypeError)
})
