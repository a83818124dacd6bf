/** Delivers bytes over UDP, one datagram for each call. */
import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { BackOff } from '../audit/back-off.ts'
import type { DatagramEndpoint, Transport } from '../audit/endpoint.ts'
import { endpointFailure } from '../audit/endpoint-failure.ts'

export class DatagramTransport implements Transport {
  readonly #what: string
  readonly #endpoint: DatagramEndpoint
  readonly #backOff = new BackOff()
  #socket: Socket | undefined

  /** @param what The public function that made the sink, for messages. */
  constructor(what: string, endpoint: DatagramEndpoint) {
    this.#what = what
    this.#endpoint = endpoint
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.#connected(signal)
  }

  async send(bytes: Buffer, signal: AbortSignal): Promise<void> {
    const socket = await this.#connected(signal)
    try {
      await untilAborted(signal, (done) => socket.send(bytes, done))
    } catch (cause) {
      this.#close(socket)
      throw signal.aborted ? signal.reason : endpointFailure(this.#what, cause)
    }
  }

  close(): void {
    if (this.#socket) this.#close(this.#socket)
  }

  /** A connected socket, so that the system reports a port that is not open, with one of the next datagrams. */
  async #connected(signal: AbortSignal): Promise<Socket> {
    if (this.#socket) return this.#socket
    this.#backOff.check()
    let socket: Socket | undefined
    try {
      const { host, port } = this.#endpoint
      const found = await untilAborted<Awaited<ReturnType<typeof lookup>>>(signal, (done) => {
        lookup(host).then(
          (address) => done(null, address),
          (error: Error) => done(error),
        )
      })
      const opened = createSocket(found.family === 6 ? 'udp6' : 'udp4')
      socket = opened
      opened.on('error', () => this.#close(opened))
      await untilAborted(signal, (done) => opened.connect(port, found.address, done))
      opened.unref()
      this.#backOff.succeed()
      this.#socket = opened
      return opened
    } catch (cause) {
      if (socket) this.#close(socket)
      const error = endpointFailure(this.#what, cause)
      this.#backOff.fail(error)
      throw signal.aborted ? signal.reason : error
    }
  }

  #close(socket: Socket): void {
    if (this.#socket === socket) this.#socket = undefined
    try {
      socket.close()
    } catch {
      // The socket is closed already.
    }
  }
}

/** Resolves with the value for which `start` calls back. Rejects with the error, or when the signal is aborted. */
function untilAborted<T = unknown>(
  signal: AbortSignal,
  start: (done: (error?: Error | null, value?: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    start((error, value) => {
      signal.removeEventListener('abort', stop)
      if (error) reject(error)
      else resolve(value as T)
    })
    if (signal.aborted) stop()
  })
}
