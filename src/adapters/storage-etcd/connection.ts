/** An HTTP/2 connection to a member, with a check that the member is alive. */
import { type ClientHttp2Session, connect } from 'node:http2'
import type { EtcdStorageOptions } from './options.ts'

/** The flow-control window of HTTP/2. With the default of 64 KiB, a longer answer would pause until the client extends the window. */
const WINDOW_BYTES = 4 * 1024 * 1024

/**
 * The minimum interval between pings, and the interval while a watch is open. By default (`--grpc-keepalive-min-time`) etcd closes
 * connections that ping more often than every 5 seconds.
 */
export const PING_INTERVAL_MS = 6000
/** The time limit for the answer to a ping. */
const PING_TIMEOUT_MS = 1500

export interface Connection {
  readonly session: ClientHttp2Session
  /** The reason why the connection ended. */
  failure: unknown
  streams: number
  /** Whether the connection was established. If it was, sent requests may have arrived. */
  connected: boolean
  /** Whether the member has sent any HTTP/2 frame. */
  spoken: boolean
  /** The timer of the ping in flight. If no answer arrives in time, it ends the connection. */
  pingTimeout: NodeJS.Timeout | undefined
  lastPingAt: number
}

/** @param onOver Called when the connection accepts no further calls. */
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
    pingTimeout: undefined,
    lastPingAt: Number.NEGATIVE_INFINITY,
  }
  session.on('connect', () => {
    connection.connected = true
    clearTimeout(connection.pingTimeout)
    connection.pingTimeout = undefined
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
    clearTimeout(connection.pingTimeout)
    onOver(connection)
  })
  // An idle connection does not keep the process alive.
  session.unref()
  return connection
}

export function closeConnection(connection: Connection, why: Error): void {
  connection.failure ??= why
  connection.session.destroy()
}

/** Pings the member, and ends the connection if it does not answer. */
export function pingConnection(connection: Connection): void {
  const { session } = connection
  const now = performance.now()
  if (connection.pingTimeout || session.destroyed || now < connection.lastPingAt + PING_INTERVAL_MS * 0.95) return
  connection.lastPingAt = now
  connection.pingTimeout = setTimeout(
    () => closeConnection(connection, new Error(`no answer to a ping in ${PING_TIMEOUT_MS} ms`)),
    PING_TIMEOUT_MS,
  )
  if (session.connecting) return
  session.ping(() => {
    clearTimeout(connection.pingTimeout)
    connection.pingTimeout = undefined
  })
}
