/**
 * A TCP or Unix socket that counts the received bytes.
 *
 * It is deliberately not a `net.Socket`: TLS over a `net.Socket` reads from the operating system directly, bypassing all JavaScript
 * streams, so the bytes could not be counted.
 */
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { AnswerTooLong } from './byte-meter.ts'

type WriteCallback = (error?: Error | null) => void

export class MeteredSocket extends Duplex {
  readonly #socket = new Socket()
  readonly #maxBytes: number
  #received = 0

  /**
   * @param maxBytes The limit for bytes received since the last {@link expectAnswer}. Exceeding it destroys the socket with
   * {@link AnswerTooLong}.
   */
  constructor(maxBytes: number) {
    super({ allowHalfOpen: false, autoDestroy: true })
    this.#maxBytes = maxBytes
    this.#socket
      .on('connect', () => this.emit('connect'))
      .on('data', (chunk: Buffer) => this.#receive(chunk))
      .on('end', () => this.push(null))
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy())
  }

  /** Starts counting from zero, before the next answer. */
  expectAnswer(): void {
    this.#received = 0
  }

  connect(port: number, host: string): this
  connect(path: string): this
  connect(...to: [number, string] | [string]): this {
    if (typeof to[0] === 'string') this.#socket.connect(to[0])
    else this.#socket.connect(to[0], to[1] as string)
    return this
  }

  get connecting(): boolean {
    return this.#socket.connecting
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress
  }

  setNoDelay(on?: boolean): this {
    this.#socket.setNoDelay(on)
    return this
  }

  setKeepAlive(on?: boolean, delayMs?: number): this {
    this.#socket.setKeepAlive(on, delayMs)
    return this
  }

  ref(): this {
    this.#socket.ref()
    return this
  }

  unref(): this {
    this.#socket.unref()
    return this
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: WriteCallback): void {
    this.#socket.write(chunk, done)
  }

  override _writev(chunks: { readonly chunk: Uint8Array }[], done: WriteCallback): void {
    this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: WriteCallback): void {
    this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: WriteCallback): void {
    this.#socket.destroy()
    done(error)
  }

  #receive(chunk: Buffer): void {
    this.#received += chunk.length
    if (this.#received > this.#maxBytes) this.destroy(new AnswerTooLong(this.#maxBytes))
    else if (!this.push(chunk)) this.#socket.pause()
  }
}
