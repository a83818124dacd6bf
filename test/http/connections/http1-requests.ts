/** Valid and invalid requests of HTTP/1.1, with their possible answers. */
import { echoOf } from './echo-kernel.ts'
import type { Random } from './random.ts'

export interface WireRequest {
  readonly bytes: Buffer
  readonly isHead?: boolean
  /** The answer if the request is served. */
  readonly answer?: { readonly status: number; readonly body?: string; readonly length?: number }
  /** Possible statuses if the request is refused. Its connection may also be closed without an answer. */
  readonly refusals?: readonly number[]
  /** Whether the server closes the connection after it. */
  readonly isLast?: boolean
}

const ok = (body: string) => ({ status: 200, body })

function chunked(body: Buffer, random: Random): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const end = Math.min(body.length, at + 1 + random.below(20_000))
    const extension = random.chance(0.2) ? ';name=value' : ''
    parts.push(Buffer.from(`${(end - at).toString(16)}${extension}\r\n`), body.subarray(at, end), Buffer.from('\r\n'))
    at = end
  }
  const trailers = random.pick(['', 'X-Trailer: a\r\n', 'X-Trailer: a\r\nX-Other: b\r\n'])
  return Buffer.concat([...parts, Buffer.from(`0\r\n${trailers}\r\n`)])
}

/** Requests that are served, independent of the requests before and after them. */
const GOOD: readonly ((name: string, random: Random) => WireRequest)[] = [
  (name, random) => {
    const size = random.size()
    const head = random.pick(['', 'Connection: keep-alive\r\n', 'X-A: b\r\n'])
    const origin = random.pick(['', '', 'http://h'])
    return {
      bytes: Buffer.from(`GET ${origin}/v1/f/${name}/${size} HTTP/1.1\r\nHost: h\r\n${head}\r\n`),
      answer: ok(echoOf(name, size)),
    }
  },
  (name, random) => {
    const size = random.size()
    const bytes = Buffer.from(`HEAD /v1/f/${name}/${size} HTTP/1.1\r\nHost: h\r\n\r\n`)
    return { bytes, isHead: true, answer: { status: 200, length: echoOf(name, size).length } }
  },
  (name, random) => {
    const size = random.size()
    return { bytes: Buffer.from(`LIST /v1/f/${name}/${size} HTTP/1.1\r\nHost: h\r\n\r\n`), answer: ok(echoOf(name, size)) }
  },
  (name, random) => {
    const turns = random.below(20)
    return { bytes: Buffer.from(`GET /v1/wait/${name}/${turns} HTTP/1.1\r\nHost: h\r\n\r\n`), answer: ok(echoOf(name, 0)) }
  },
  (name, random) => {
    const body = Buffer.alloc(random.size(), 'b')
    const size = random.below(2000)
    const isChunked = random.chance(0.5)
    const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
    const expect = random.chance(0.2) ? 'Expect: 100-continue\r\n' : ''
    const head = `${random.pick(['POST', 'PUT'])} /v1/f/${name}/${size} HTTP/1.1\r\nHost: h\r\n${expect}${length}\r\n\r\n`
    return {
      bytes: Buffer.concat([Buffer.from(head), isChunked ? chunked(body, random) : body]),
      answer: ok(echoOf(name, size, body)),
      // A body without room in the budget is refused, and the connection is closed.
      refusals: [503],
    }
  },
  (name, random) => {
    const body = 'b'.repeat(random.below(5000))
    const bytes = `DELETE /v1/f/${name}/9 HTTP/1.1\r\nHost: h\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    return { bytes: Buffer.from(bytes), answer: ok(echoOf(name, 9)) }
  },
  () => ({ bytes: Buffer.from('GET /v1/secret/a HTTP/1.1\r\nHost: h\r\n\r\n'), answer: { status: 403 } }),
]

const text = (bytes: string, refusals: readonly number[] = [400]): WireRequest => ({
  bytes: Buffer.from(bytes),
  refusals,
  isLast: true,
})

/** Requests after which a connection is closed. */
const LAST: readonly ((name: string, random: Random) => WireRequest)[] = [
  () => text('\u0001\u0002 garbage\r\n\r\n'),
  () => text(`GET /v1/f/a/1 HTTP/1.1\r\nHost: h\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`, [431]),
  () => text(`GET /v1/f/${'a'.repeat(40_000)} HTTP/1.1\r\nHost: h\r\n\r\n`, [431]),
  () => text('POST /v1/f/a/1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
  () => text('POST /v1/f/a/1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'),
  () => text('POST /v1/f/a/1 HTTP/1.1\r\nHost: h\r\nContent-Length: -3\r\n\r\nabc'),
  () => text('POST /v1/f/a/1 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n'),
  // A server of node:http2 accepts a request without a Host header.
  () => text('GET /v1/f/a/1 HTTP/1.1\r\n\r\n', [200, 400]),
  () => text('CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n'),
  () => text('LISTEN /v1/f/a/1 HTTP/1.1\r\nHost: h\r\n\r\n'),
  () => text('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  () => text('POST /v1/f/a/1 HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\nabc', [413]),
  () => text(`POST /v1/secret/a HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n${'x'.repeat(1000)}`, [403]),
  (name) => ({
    bytes: Buffer.from(`GET /v1/f/${name}/7 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`),
    answer: ok(echoOf(name, 7)),
    isLast: true,
  }),
  (name) => ({ bytes: Buffer.from(`GET /v1/f/${name}/7 HTTP/1.0\r\n\r\n`), answer: ok(echoOf(name, 7)), isLast: true }),
  // Node answers an upgrade request and reads nothing after it.
  (name) => ({
    bytes: Buffer.from(`GET /v1/f/${name}/7 HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`),
    answer: ok(echoOf(name, 7)),
    isLast: true,
  }),
  // Bytes after the declared length, which are not a valid request.
  () => text('POST /v1/f/a/1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc\u0001\u0001', [200, 400]),
]

/** A pipeline of requests. The last one may be invalid. */
export function randomRequests(random: Random): readonly WireRequest[] {
  const few = Array.from({ length: random.below(random.pick([2, 6, 30])) + 1 }, (_, i) => random.pick(GOOD)(`n${i}`, random))
  return random.chance(0.25) ? [...few, random.pick(LAST)('last', random)] : few
}
