/**
 * The memory that 64 connections without a token can make a server hold, each with the worst body of its kind. The quick tier counts the
 * bytes that the server reads.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Child, startChild } from '../fixtures/child.ts'
import { TIER } from '../tiers.ts'
import { bodyOf, SHAPES } from './body-shapes.ts'

const CONNECTIONS = 64
const MIB = 1 << 20
const BOUND = 256 * MIB
const MAX_BODY_BYTES = 32 * MIB

let child: Child
let messages: AsyncIterator<unknown>
let port: number
let token: string
beforeAll(async () => {
  child = startChild('test/http/strangers.child.ts', {})
  messages = child.messages[Symbol.asyncIterator]()
  const ready = (await messages.next()).value as { port: number; token: string }
  port = ready.port
  token = ready.token
})
afterAll(async () => {
  child.send('end')
  await child.ended
})

async function readHeap(what: 'idle' | 'most'): Promise<number> {
  child.send(what)
  return (await messages.next()).value as number
}

interface Sending {
  readonly path: string
  readonly body: Buffer
  readonly chunked: boolean
  readonly headers?: string
}

/** Sends a body until the server stops reading. @returns The status of the answer; 0 without an answer. */
async function send({ path, body, chunked, headers = '' }: Sending): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  const ended = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      if (answer.includes('\r\n\r\n') && answer.endsWith('\n')) resolve()
    })
    socket.on('close', resolve).on('error', () => resolve())
  })
  const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
  socket.write(`POST ${path} HTTP/1.1\r\nHost: h\r\n${headers}${length}\r\n\r\n`)
  if (chunked) socket.write(`${body.length.toString(16)}\r\n`)
  socket.write(body)
  if (chunked) socket.write('\r\n0\r\n\r\n')
  await ended
  socket.destroy()
  if (!socket.closed) await once(socket, 'close')
  return Number(answer.slice(9, 12))
}

async function atOnce(sendings: readonly Sending[]): Promise<{ statuses: readonly number[]; grown: number }> {
  const idle = await readHeap('idle')
  const each = Array.from({ length: CONNECTIONS }, (_, i) => send(sendings[i % sendings.length] as Sending))
  const statuses = [...new Set(await Promise.all(each))]
  return { statuses, grown: (await readHeap('most')) - idle }
}

const TAKES_TOKEN = '/v1/secret/data/a'
const TAKES_NONE = '/v1/sys/wrapping/lookup'

/** The server reads only the beginning of a long body, so its shape makes no difference. */
const LONG_SHAPES = TIER === 'soak' ? Object.keys(SHAPES) : ['one text']

describe.each(LONG_SHAPES)('a server that receives %s over 64 connections without a token', (shape) => {
  it('uses less than 256 MiB for bodies of 32 MiB', async () => {
    const body = bodyOf(shape, MAX_BODY_BYTES)
    const { statuses, grown } = await atOnce([
      { path: TAKES_TOKEN, body, chunked: false },
      { path: TAKES_TOKEN, body, chunked: true },
      { path: TAKES_NONE, body, chunked: true },
    ])
    for (const status of statuses) expect([403, 413]).toContain(status)
    expect(grown).toBeLessThan(BOUND)
  })
})

/** The shapes that need the most memory per byte. */
const SHORT_SHAPES =
  TIER === 'soak' ? Object.keys(SHAPES) : ['empty objects', 'deep nesting', 'objects with distinct names', 'a wide object']

describe.each(SHORT_SHAPES)('a server that receives %s over 64 connections without a token', (shape) => {
  it('uses less than 256 MiB for bodies of 1 MiB, which are read before the token is checked', async () => {
    const body = bodyOf(shape, MIB)
    const { statuses, grown } = await atOnce([
      { path: TAKES_TOKEN, body, chunked: false },
      { path: TAKES_NONE, body, chunked: true },
    ])
    for (const status of statuses) expect([400, 413]).toContain(status)
    expect(grown).toBeLessThan(BOUND)
  })
})

it('a server serves a caller with a token after it has refused large bodies', async () => {
  const body = Buffer.from(JSON.stringify({ data: { a: 'x'.repeat(2 * MIB) } }))
  const headers = `X-Service-Token: ${token}\r\n`
  expect(await send({ path: '/v1/secret/data/a', body, chunked: true, headers })).toBe(204)
})
