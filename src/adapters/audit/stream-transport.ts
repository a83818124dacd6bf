/** Delivers bytes over TCP, TLS or a Unix socket. */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { meterBytes } from '../network/byte-meter.ts'
import { BackOff } from './back-off.ts'
import type { StreamEndpoint, Transport } from './endpoint.ts'
import { endpointFailure } from './endpoint-failure.ts'

/** Log servers send nothing. A server that sends more than this number of bytes loses the connection. */
const MAX_RECEIVED_BYTES = 65_536

const KEEP_ALIVE_MS = 30_000

export class StreamTransport implements Transport {
  readonly #what: string
  readonly #endpoint: StreamEndpoint
  readonly #backOff = new BackOff()
  #socket: Socket | undefined

  /** @param what The public function that made the sink, for messages. */
  constructor(what: string, endpoint: StreamEndpoint) {
    this.#what = what
    this.#endpoint = endpoint
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.#connected(signal)
  }

  async send(bytes: Buffer, signal: AbortSignal): Promise<void> {
    const socket = await this.#connected(signal)
    socket.ref()
    try {
      await written(socket, bytes, signal)
      this.#backOff.succeed()
    } catch (cause) {
      socket.destroy()
      throw this.#failure(cause, signal)
    } finally {
      socket.unref()
    }
  }

  close(): void {
    this.#socket?.destroy()
  }

  async #connected(signal: AbortSignal): Promise<Socket> {
    if (this.#socket && !this.#socket.destroyed && this.#socket.writable) return this.#socket
    this.#backOff.check()
    const socket = socketTo(this.#endpoint)
    meterBytes(socket, MAX_RECEIVED_BYTES)
    try {
      await ready(socket, this.#endpoint.transport === 'tls' ? 'secureConnect' : 'connect', signal)
    } catch (cause) {
      socket.destroy()
      throw this.#failure(cause, signal)
    }
    // Without an idle connection the process can end.
    socket.setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true).unref()
    // Received data is discarded. Reading is necessary to notice that the server closes the connection.
    socket.resume()
    this.#socket = socket
    return socket
  }

  #failure(cause: unknown, signal: AbortSignal): unknown {
    const error = endpointFailure(this.#what, cause)
    this.#backOff.fail(error)
    return signal.aborted ? signal.reason : error
  }
}

function socketTo(endpoint: StreamEndpoint): Socket {
  if (endpoint.transport === 'unix') return connect(endpoint.path)
  const { host, port } = endpoint
  if (endpoint.transport === 'tcp') return connect(port, host)
  return connectTls({ ...endpoint.tls, host, port })
}

/** Resolves at the event. Rejects if the socket fails first, or if the signal is aborted. Later errors of the socket are ignored. */
function ready(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    socket.on('error', reject)
    socket.once('close', () => reject(closed()))
    socket.once(event, () => {
      signal.removeEventListener('abort', stop)
      resolve()
    })
    if (signal.aborted) stop()
  })
}

/** Resolves when the operating system has taken the bytes. Destroys the socket if the signal is aborted, so that no part is sent later. */
function written(socket: Socket, bytes: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => socket.destroy()
    const fail = () => end(closed())
    const end = (error: Error | null | undefined) => {
      signal.removeEventListener('abort', stop)
      socket.off('close', fail)
      if (error) reject(socket.errored ?? error)
      else resolve()
    }
    signal.addEventListener('abort', stop, { once: true })
    socket.once('close', fail)
    socket.write(bytes, end)
    if (signal.aborted) stop()
  })
}

const closed = (): Error => Object.assign(new Error('the connection was closed'), { code: 'EPIPE' })
