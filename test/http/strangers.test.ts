/**
 * What callers without a token can make a server hold in memory: 64 connections at once, each with the worst body there is.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Child, startChild } from '../fixtures/child.ts'
import { MEASURED } from '../fixtures/measured.ts'

const SLOW = Boolean(process.env['SLOW'])
const CONNECTIONS = 64
const MIB = 1 << 20
const BOUND = 256 * MIB
const LONGEST = 33_554_432

/** Texts that take far more memory as values than as bytes: how they begin, and what is repeated in them. */
const SHAPES: Readonly<Record<string, readonly [head: string, unit: string | ((i: number) => string)]>> = {
  'empty objects': ['{"a":[', '{},'],
  'empty arrays': ['{"a":[', '[],'],
  'deep nesting': ['{"a":', '['],
  'short texts': ['{"a":[', '"ab",'],
  'members of their own': ['{"a":[', (i) => `{"${i.toString(36)}":0},`],
  'a wide object': ['{', (i) => `"${i.toString(36)}":0,`],
  'numeric names': ['{"a":[', '{"1":0},'],
  'numbers of many digits': ['{"a":[', `${'1'.repeat(300)},`],
  fractions: ['{"a":[', '1.5,'],
  'one text': ['{"a":"', 'QUJD'],
}

const FEW: ReadonlySet<string> = new Set(['empty objects', 'deep nesting', 'a wide object', 'one text'])

/** The first `length` bytes of a text of that shape. */
function bodyOf(shape: string, length: number): Buffer {
  const [head, unit] = SHAPES[shape] as (typeof SHAPES)[string]
  if (typeof unit === 'string') return Buffer.concat([Buffer.from(head), Buffer.alloc(length - head.length, unit)])
  const units: string[] = [head]
  for (let i = 0, size = head.length; size < length; i++) size += units[units.push(unit(i)) - 1]?.length ?? 0
  return Buffer.from(units.join('')).subarray(0, length)
}

let child: Child
let told: AsyncIterator<unknown>
let port: number
let token: string
beforeAll(async () => {
  child = startChild('test/http/strangers.child.ts', {})
  told = child.told[Symbol.asyncIterator]()
  const ready = (await told.next()).value as { port: number; token: string }
  port = ready.port
  token = ready.token
})
afterAll(async () => {
  child.tell('end')
  await child.ended
})

async function asked(what: 'idle' | 'most'): Promise<number> {
  child.tell(what)
  return (await told.next()).value as number
}

interface Sending {
  readonly path: string
  readonly body: Buffer
  readonly chunked: boolean
  readonly headers?: string
}

/** Sends all of a body, or as much as the other side takes. @returns The status of the answer, 0 for none. */
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
  const idle = await asked('idle')
  const each = Array.from({ length: CONNECTIONS }, (_, i) => send(sendings[i % sendings.length] as Sending))
  const statuses = [...new Set(await Promise.all(each))]
  return { statuses, grown: (await asked('most')) - idle }
}

const TAKES_TOKEN = '/v1/secret/data/a'
const TAKES_NONE = '/v1/sys/wrapping/lookup'

describe.each(Object.keys(SHAPES))('64 connections without a token that send %s', (shape) => {
  // None of it is read, whatever it is: without SLOW some shapes are enough.
  it.skipIf(!SLOW && !FEW.has(shape))('33 MB each: less than 256 MiB (most shapes only with SLOW)', MEASURED, async () => {
    const body = bodyOf(shape, LONGEST)
    const { statuses, grown } = await atOnce([
      { path: TAKES_TOKEN, body, chunked: false },
      { path: TAKES_TOKEN, body, chunked: true },
      { path: TAKES_NONE, body, chunked: true },
    ])
    for (const status of statuses) expect([403, 413]).toContain(status)
    expect(grown).toBeLessThan(BOUND)
  })

  it('1 MiB each, which is looked at before the token: less than 256 MiB', MEASURED, async () => {
    const body = bodyOf(shape, MIB)
    const { statuses, grown } = await atOnce([
      { path: TAKES_TOKEN, body, chunked: false },
      { path: TAKES_NONE, body, chunked: true },
    ])
    for (const status of statuses) expect([400, 413]).toContain(status)
    expect(grown).toBeLessThan(BOUND)
  })
})

it('serves a caller with a token afterwards', async () => {
  const body = Buffer.from(JSON.stringify({ data: { a: 'x'.repeat(2 * MIB) } }))
  const headers = `X-Service-Token: ${token}\r\n`
  expect(await send({ path: '/v1/secret/data/a', body, chunked: true, headers })).toBe(204)
})
