/** Log servers for the tests of audit sinks: they parse strictly, and can stall or end their connections. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

export interface SyslogMessage {
  readonly priority: number
  readonly time: string
  readonly host: string
  readonly app: string
  readonly process: string
  readonly id: string
  readonly text: string
}

/** The grammar of RFC 5424, section 6, for messages without structured data. */
const MESSAGE =
  /^<(0|[1-9]\d{0,2})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)) ([\x21-\x7e]{1,255}) ([\x21-\x7e]{1,48}) ([\x21-\x7e]{1,128}) ([\x21-\x7e]{1,32}) - (.*)$/s

/** @throws Error if the bytes are not a message of RFC 5424 with text in UTF-8. */
export function parseMessage(bytes: Buffer): SyslogMessage {
  const all = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  const [, priority, time, host, app, process, id, text] = MESSAGE.exec(all) ?? []
  if (Number(priority) > 191 || text === undefined) throw new Error(`not a message of RFC 5424: ${all}`)
  return { priority: Number(priority), time, host, app, process, id, text } as SyslogMessage
}

/** Splits a stream by octet counting (RFC 6587, section 3.4.1). Returns whole messages and the rest. */
function splitFrames(bytes: Buffer): { readonly frames: readonly Buffer[]; readonly rest: Buffer } {
  const frames: Buffer[] = []
  let rest = bytes
  for (;;) {
    const space = rest.indexOf(' ')
    const count = rest.subarray(0, space < 0 ? Math.min(rest.length, 10) : space).toString('latin1')
    if (count !== '' && !/^[1-9]\d{0,8}$/.test(count)) throw new Error(`not a length: ${count}`)
    const end = space + 1 + Number(count)
    if (space < 0 || rest.length < end) return { frames, rest }
    frames.push(rest.subarray(space + 1, end))
    rest = rest.subarray(end)
  }
}

export interface LogServer {
  readonly port: number
  /** The whole messages, in the order of their arrival. */
  readonly frames: readonly Buffer[]
  /** The number of connections so far. */
  readonly connections: () => number
  /** The connections that are open. */
  readonly sockets: ReadonlySet<Socket>
  /** Resolves when the server has this number of messages. */
  readonly received: (count: number) => Promise<readonly Buffer[]>
  readonly close: () => Promise<void>
}

export interface LogServerWishes {
  readonly tls?: TlsOptions
  readonly path?: string
  readonly port?: number
  /** Runs for each connection in place of reading. */
  readonly onConnection?: (socket: Socket) => void
  /** Reads nothing until a test resumes the sockets. */
  readonly paused?: boolean
  /** Splits by line breaks, not by octet counting. */
  readonly lines?: boolean
}

const splitLines = (bytes: Buffer) => {
  const parts = bytes.toString().split('\n')
  const rest = Buffer.from(parts.pop() as string)
  return { frames: parts.map((part) => Buffer.from(part)), rest }
}

export async function logServer({ tls, path, port = 0, onConnection, paused, lines }: LogServerWishes = {}): Promise<LogServer> {
  const { frames, received, add } = inbox()
  const sockets = new Set<Socket>()
  let connections = 0
  const accept = (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    if (onConnection) return onConnection(socket)
    let pending: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      const split = (lines ? splitLines : splitFrames)(Buffer.concat([pending, chunk]))
      pending = split.rest
      add(split.frames)
    })
    if (paused) socket.pause()
  }
  const server: Server = tls ? createTlsServer(tls, accept) : createServer(accept)
  server.on('tlsClientError', () => {})
  if (path === undefined) server.listen(port, '127.0.0.1')
  else server.listen(path)
  await once(server, 'listening')
  return {
    port: path === undefined ? (server.address() as AddressInfo).port : 0,
    frames,
    connections: () => connections,
    sockets,
    received,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

export async function datagramServer(): Promise<Pick<LogServer, 'port' | 'frames' | 'received' | 'close'>> {
  const { frames, received, add } = inbox()
  const socket = createSocket('udp4', (bytes) => add([bytes]))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const close = async () => {
    const closed = once(socket, 'close')
    socket.close()
    await closed
  }
  return { port: socket.address().port, frames, received, close }
}

function inbox() {
  const frames: Buffer[] = []
  const waiting = new Set<() => void>()
  const add = (more: readonly Buffer[]) => {
    frames.push(...more)
    for (const check of waiting) check()
  }
  const received = (count: number) =>
    new Promise<readonly Buffer[]>((resolve) => {
      const check = () => {
        if (frames.length < count) return
        waiting.delete(check)
        resolve(frames)
      }
      waiting.add(check)
      check()
    })
  return { frames, received, add }
}
