/** A proxy in front of a member that can delay requests and deliver them after the client gave up. */
import { connect, createServer, type Socket } from 'node:net'

export interface SlowPath {
  readonly host: string
  /** Stops traffic in both directions until `resume`. */
  hold(): void
  /** Delivers the requests that the client sent before it gave up, and resolves when the member has answered them. */
  release(): Promise<void>
  /** Closes the delayed connections and lets new ones through. */
  resume(): void
  stop(): Promise<void>
}

/** The preface of an HTTP/2 client, before its first frame (RFC 9113 section 3.4). */
const PREFACE_BYTES = 24
/** The frame header and the types and flags of frames (RFC 9113 sections 4.1 and 6). */
const FRAME_HEAD_BYTES = 9
const HEADERS = 1
const RST_STREAM = 3
const END_STREAM = 1

interface Frame {
  readonly type: number
  readonly flags: number
  readonly bytes: Buffer
}

/** Splits the bytes of one direction of a connection into frames. */
function frames(skip: number, onFrame: (frame: Frame) => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0)
  let prefix = skip
  return (data) => {
    rest = Buffer.concat([rest, data])
    if (rest.length < prefix) return
    rest = rest.subarray(prefix)
    prefix = 0
    while (rest.length >= FRAME_HEAD_BYTES) {
      const end = FRAME_HEAD_BYTES + rest.readUIntBE(0, 3)
      if (rest.length < end) return
      onFrame({ type: rest[3]!, flags: rest[4]!, bytes: rest.subarray(0, end) })
      rest = rest.subarray(end)
    }
  }
}

interface Upstream {
  readonly socket: Socket
  readonly held: Buffer[]
  /** The number of calls that the client sent and that are delayed. */
  heldCalls: number
  /** The number of calls that the member has answered completely. */
  answered: number
}

export async function slowPath(to: string): Promise<SlowPath> {
  const { hostname, port } = new URL(to)
  const upstreams: Upstream[] = []
  let holding = false
  let hasGivenUp = false
  const server = createServer((client) => {
    const upstream: Upstream = { socket: connect(Number(port), hostname), held: [], heldCalls: 0, answered: 0 }
    // A client that opens a connection while the proxy delays traffic has given up its earlier attempt.
    if (holding) hasGivenUp = true
    upstreams.push(upstream)
    const sent = frames(PREFACE_BYTES, ({ type, bytes }) => {
      if (!holding) return
      if (type === RST_STREAM) hasGivenUp = true
      if (hasGivenUp) return
      if (type === HEADERS) upstream.heldCalls++
      upstream.held.push(bytes)
    })
    const received = frames(0, ({ type, flags }) => {
      if (type === HEADERS && flags & END_STREAM) upstream.answered++
    })
    client.on('data', (data) => {
      sent(data)
      if (!holding) upstream.socket.write(data)
    })
    upstream.socket.on('data', (data) => {
      received(data)
      if (!holding) client.write(data)
    })
    for (const socket of [client, upstream.socket]) socket.on('error', () => undefined)
    upstream.socket.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    hold() {
      holding = true
    },
    async release() {
      const late = upstreams.filter(({ heldCalls }) => heldCalls > 0)
      if (late.length === 0) throw new Error('no call was held')
      for (const upstream of late) {
        const enough = upstream.answered + upstream.heldCalls
        for (const bytes of upstream.held) upstream.socket.write(bytes)
        while (upstream.answered < enough) await new Promise((resolve) => upstream.socket.once('data', resolve))
      }
    },
    resume() {
      for (const { socket } of upstreams) socket.destroy()
      holding = false
    },
    async stop() {
      for (const { socket } of upstreams) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
