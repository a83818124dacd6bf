/** A connection of HTTP/2 to a member, and whether its other side is still there. */
import { type ClientHttp2Session, connect } from 'node:http2'
import type { EtcdStorageOptions } from './options.ts'

/** Answers are read as they come; the default window would stop a page of records after 64 KiB. */
const WINDOW_BYTES = 4 * 1024 * 1024

/**
 * How often a member may be asked for a sign of life, and is while a watch is open. By `--grpc-keepalive-min-time` etcd ends connections that
 * ask more often than every 5 seconds.
 */
export const PULSE_MS = 6000
/** How long it has to give it. */
const PONG_MS = 1500

export interface Connection {
  readonly session: ClientHttp2Session
  /** Why it broke. */
  failure: unknown
  streams: number
  /** What was sent may have arrived. */
  connected: boolean
  /** The member has said something in HTTP/2. */
  spoken: boolean
  /** A ping is on its way: ends the connection when no answer comes. */
  judging: NodeJS.Timeout | undefined
  judgedAt: number
}

/** @param onOver Called when no further call may be made on it. */
export function openConnection(
  url: URL,
  tls: NonNullable<EtcdStorageOptions['tls']>,
  onOver: (connection: Connection) => void,
): Connection {
  const session = connect(url.origin, { ...tls, settings: { initialWindowSize: WINDOW_BYTES, enablePush: false } })
  const connection: Connection = {
    session,
    failure: undefined,
    streams: 0,
    connected: false,
    spoken: false,
    judging: undefined,
    judgedAt: Number.NEGATIVE_INFINITY,
  }
  session.on('connect', () => {
    connection.connected = true
    clearTimeout(connection.judging)
    connection.judging = undefined
    session.setLocalWindowSize(2 * WINDOW_BYTES)
  })
  session.on('remoteSettings', () => {
    connection.spoken = true
  })
  session.on('error', (error) => {
    connection.failure ??= error
  })
  session.on('goaway', () => onOver(connection))
  session.on('close', () => {
    clearTimeout(connection.judging)
    onOver(connection)
  })
  // An idle connection does not keep the process alive.
  session.unref()
  return connection
}

export function breakOff(connection: Connection, why: Error): void {
  connection.failure ??= why
  connection.session.destroy()
}

/** Ends a connection whose other side gives no sign of life. */
export function judge(connection: Connection): void {
  const { session } = connection
  const now = performance.now()
  if (connection.judging || session.destroyed || now < connection.judgedAt + PULSE_MS * 0.95) return
  connection.judgedAt = now
  connection.judging = setTimeout(() => breakOff(connection, new Error(`no sign of life for ${PONG_MS} ms`)), PONG_MS)
  if (session.connecting) return
  session.ping(() => {
    clearTimeout(connection.judging)
    connection.judging = undefined
  })
}
