/** One connection of HTTP/2 with random streams, frames, windows and reading. */
import type { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'vitest'
import { echoOf } from './echo-kernel.ts'
import {
  FLAG,
  FRAME,
  type Frame,
  FrameReader,
  frame,
  headerBlock,
  PREFACE,
  SETTING,
  settings,
  statusIn,
  uint32,
} from './http2-frames.ts'
import type { Random } from './random.ts'

const MAX_WINDOW = 2 ** 31 - 1
/** Leaves room for the window increments. */
const WIDE_WINDOW = 2 ** 30
/** The largest frame that a peer accepts by default. */
const MAX_FRAME = 16_384

/** A request, and the received part of its answer. */
interface Stream {
  readonly expected: string
  readonly status: number
  readonly isHead: boolean
  /** The client has reset it. */
  isReset: boolean
  got: { status: number; body: Buffer[]; isEnded: boolean; isReset: boolean }
}

class Client {
  readonly streams = new Map<number, Stream>()
  readonly #socket: Duplex
  readonly #frames = new FrameReader()
  #wake = () => {}
  /** The server has ended the connection. */
  isEnded = false
  /** The error code of the server, if it reported one. */
  error: number | undefined
  /** Whether windows are extended when data arrives. */
  isOpen = false

  constructor(socket: Duplex) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      for (const frame of this.#frames.read(chunk)) this.#take(frame)
      this.#wake()
    })
    socket.on('close', () => {
      this.isEnded = true
      this.#wake()
    })
  }

  send(...frames: readonly Buffer[]): void {
    if (!this.#socket.destroyed) this.#socket.write(Buffer.concat(frames))
  }

  #take({ type, flags, stream: id, payload }: Frame): void {
    if (type === FRAME.settings && !(flags & FLAG.ack)) this.send(frame(FRAME.settings, FLAG.ack, 0))
    if (type === FRAME.goaway) {
      this.isEnded = true
      this.error = payload.readUInt32BE(4)
    }
    const stream = this.streams.get(id)
    if (!stream) return
    if (type === FRAME.headers) stream.got.status = statusIn(payload)
    if (type === FRAME.reset) stream.got.isReset = true
    if (type === FRAME.data) {
      stream.got.body.push(payload)
      if (this.isOpen && payload.length > 0) this.send(frame(FRAME.windowUpdate, 0, 0, uint32(payload.length)))
    }
    if ((type === FRAME.data || type === FRAME.headers) && flags & FLAG.endStream) stream.got.isEnded = true
  }

  /** Waits until all streams are answered or the connection has ended. */
  async answered(): Promise<void> {
    const isDone = ({ isReset, got }: Stream) => isReset || got.isEnded || got.isReset
    while (!this.isEnded && ![...this.streams.values()].every(isDone))
      await new Promise<void>((resolve) => (this.#wake = resolve))
  }
}

/** The frames of one request: headers, sometimes with a continuation, and body. */
function requestFrames(id: number, random: Random): { readonly frames: readonly Buffer[]; readonly stream: Stream } {
  const name = `n${id}`
  const size = random.size()
  const kind = random.pick(['GET', 'GET', 'LIST', 'HEAD', 'POST', 'wait', 'refused'] as const)
  const body = kind === 'POST' ? Buffer.alloc(random.below(random.pick([10, 1000, 30_000])), 'b') : undefined
  const path = { wait: `/v1/wait/${name}/${size % 20}`, refused: '/v1/secret/a' }[kind as string] ?? `/v1/f/${name}/${size}`
  const block = headerBlock([
    [':method', kind === 'wait' || kind === 'refused' ? 'GET' : kind],
    [':scheme', 'http'],
    [':authority', 'h'],
    [':path', path],
    ...(random.chance(0.2) ? ([['x-other', 'a'.repeat(random.below(100))]] as const) : []),
  ])
  const end = body ? 0 : FLAG.endStream
  const cut = random.chance(0.1) ? random.below(block.length) : block.length
  const isWhole = cut === block.length
  const frames = [frame(FRAME.headers, end | (isWhole ? FLAG.endHeaders : 0), id, block.subarray(0, cut))]
  if (!isWhole) frames.push(frame(FRAME.continuation, FLAG.endHeaders, id, block.subarray(cut)))
  for (let at = 0; body && at < body.length; ) {
    const next = Math.min(body.length, at + 1 + random.below(MAX_FRAME))
    frames.push(frame(FRAME.data, 0, id, body.subarray(at, next)))
    at = next
  }
  if (body) frames.push(frame(FRAME.data, FLAG.endStream, id))
  const expected = kind === 'wait' ? echoOf(name, 0) : echoOf(name, size, body)
  const got = { status: 0, body: [], isEnded: false, isReset: false }
  return { frames, stream: { expected, status: kind === 'refused' ? 403 : 200, isHead: kind === 'HEAD', isReset: false, got } }
}

/** Frames that a server must accept. */
const HARMLESS: readonly ((id: number, random: Random) => Buffer)[] = [
  () => frame(FRAME.ping, 0, 0, Buffer.alloc(8)),
  (id) => frame(FRAME.priority, 0, id, Buffer.from([0, 0, 0, 0, 7])),
  () => frame(0xb, 0, 0, Buffer.from('unknown')),
  (id, random) => frame(FRAME.windowUpdate, 0, id, uint32(1 + random.below(1000))),
]

/** Frames after which a server ends the connection. */
const BROKEN: readonly ((id: number) => Buffer)[] = [
  (id) => frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, id + 1, headerBlock([[':method', 'GET']])),
  () => frame(FRAME.data, 0, 0, Buffer.from('a')),
  () => frame(FRAME.ping, 0, 0, Buffer.alloc(7)),
  () => frame(FRAME.windowUpdate, 0, 0, uint32(MAX_WINDOW)),
  () => frame(FRAME.headers, FLAG.endHeaders, 1_000_001, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
  () => frame(FRAME.settings, 0, 0, Buffer.alloc(5)),
  () => Buffer.alloc(9, 0xff),
]

const MANNERS = ['reads', 'reads', 'opens late', 'opens late', 'breaks', 'leaves', 'never reads'] as const

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn()
}

export async function http2Case(connect: () => Promise<Duplex>, random: Random): Promise<void> {
  const socket = await connect()
  const client = new Client(socket)
  const manner = random.pick(MANNERS)
  const isLate = manner === 'opens late' || manner === 'never reads'
  const window = isLate ? random.pick([0, 0, 1, 1000]) : WIDE_WINDOW
  client.isOpen = !isLate
  client.send(
    PREFACE,
    settings([
      [SETTING.headerTableSize, 0],
      [SETTING.initialWindowSize, window],
    ]),
  )
  if (!isLate) client.send(frame(FRAME.windowUpdate, 0, 0, uint32(WIDE_WINDOW)))
  if (manner === 'never reads' && random.chance(0.5)) socket.pause()
  const count = 1 + random.below(random.pick([3, 10, 60]))
  for (let i = 0; i < count; i++) {
    const id = 2 * i + 1
    const { frames, stream } = requestFrames(id, random)
    client.streams.set(id, stream)
    // Header frames are never left out: no other frames may come between them.
    const isCut = frames.at(-1)?.[3] === FRAME.data && random.chance(0.1)
    client.send(...(isCut ? frames.slice(0, -1) : frames))
    stream.isReset = isCut || random.chance(0.1)
    if (random.chance(0.2)) client.send(random.pick(HARMLESS)(id, random))
    if (stream.isReset) client.send(frame(FRAME.reset, 0, id, uint32(8)))
    if (random.chance(0.3)) await turns(random.below(3))
  }
  if (manner === 'opens late') {
    await turns(random.below(30))
    client.isOpen = true
    client.send(settings([[SETTING.initialWindowSize, WIDE_WINDOW]]))
    client.send(frame(FRAME.windowUpdate, 0, 0, uint32(WIDE_WINDOW)))
  }
  if (manner === 'breaks') client.send(random.pick(BROKEN)(2 * count + 1))
  if (manner === 'leaves' || manner === 'never reads') await turns(random.below(30))
  else await client.answered()
  socket.destroy()
  check(client, manner === 'reads' || manner === 'opens late')
}

function check({ streams, isEnded, error }: Client, isWhole: boolean): void {
  // Without an error: the machine was too busy for the client to take an answer in time.
  const isStarved = isEnded && error === 0
  if (isWhole && !isStarved) expect({ isEnded, error }).toEqual({ isEnded: false, error: undefined })
  for (const [id, { expected, status, isHead, isReset, got }] of streams) {
    const why = `stream ${id}`
    if (got.status !== 0) expect([status, 503, 408], why).toContain(got.status)
    if (got.status === 200) {
      const body = Buffer.concat(got.body)
      expect(Buffer.from(expected).subarray(0, body.length).equals(body), why).toBe(true)
      if (got.isEnded && !isHead) expect(body.length, why).toBe(expected.length)
    }
    if (isWhole && !isReset && !isStarved && got.status !== 408)
      expect({ id, isEnded: got.isEnded, isReset: got.isReset }).toEqual({ id, isEnded: true, isReset: false })
  }
}
