/** One end of a connection: sends and receives frames and enforces timeouts. */
import type { Socket } from 'node:net'
import { encodeFrame, type Frame, GREETING } from './frame.ts'
import { TcpFrameReader } from './frame-reader.ts'

/** Memory shared between connections. */
export interface WireMemory {
  /** Returns false if too little memory is left. */
  reserve(bytes: number): boolean
  release(bytes: number): void
}

export interface WireOptions {
  readonly socket: Socket
  /** Whether this side sends its greeting first. The other side answers a valid greeting with its own. */
  readonly opens: boolean
  readonly idleMs: number
  readonly stallMs: number
  /** Supplies memory for received content. Default: unlimited. */
  readonly memory?: WireMemory
  /** Whether requests are pending, so that the connection must stay open. */
  isBusy(): boolean
  /** Called with each frame. The frame's content counts as reserved memory until {@link Wire.release}. An exception ends the connection. */
  take(frame: Frame): void
  /** Called once, when the connection has ended. */
  ended(error: Error): void
}

/** Ends the connection with an error if the peer violates the protocol or a timeout. */
export class Wire {
  readonly #options: WireOptions
  readonly #reader = new TcpFrameReader((bytes) => {
    if (!this.reserve(bytes)) throw new Error('the memory limit for messages is reached')
  })
  #memoryBytes = 0
  #greeted = false
  #paused = false
  #ended = false
  #stallTimer: NodeJS.Timeout | undefined

  constructor(options: WireOptions) {
    const { socket, opens, idleMs } = options
    this.#options = options
    socket.on('data', (chunk: Uint8Array) => {
      this.#reader.feed(chunk)
      this.#readFrames()
    })
    socket.on('timeout', () => {
      if (!options.isBusy()) this.end(new Error('the connection was idle'))
      else if (socket.writableLength > 0) this.end(new Error('the peer does not read what is sent'))
    })
    socket.on('error', (error) => this.end(error))
    // End half-open connections: a side that still waits for something never closes its half.
    socket.on('end', () => this.end(new Error('the peer ended the connection')))
    socket.on('close', () => this.end(new Error('the connection was closed')))
    socket.setTimeout(idleMs)
    if (opens) socket.write(GREETING)
    this.#startStallTimer()
  }

  /** Bytes of memory reserved for this connection. */
  get memoryBytes(): number {
    return this.#memoryBytes
  }

  /** Reserves memory. Returns false if too little is left or the connection has ended. */
  reserve(bytes: number): boolean {
    if (this.#ended) return false
    if (this.#options.memory && !this.#options.memory.reserve(bytes)) return false
    this.#memoryBytes += bytes
    return true
  }

  release(bytes: number): void {
    // `end` has already released everything.
    if (this.#ended) return
    this.#memoryBytes -= bytes
    this.#options.memory?.release(bytes)
  }

  /** @param written Called when the frame was written or the connection has ended. */
  send(kind: number, id: number, content: Uint8Array, written?: () => void): void {
    if (this.#ended) written?.()
    else this.#options.socket.write(encodeFrame(kind, id, content), written)
  }

  /** Stops reading until {@link resume}. Meanwhile the peer's data stays in the peer's buffers. */
  pause(): void {
    if (this.#paused) return
    this.#paused = true
    this.#options.socket.pause()
    this.#stopStallTimer()
  }

  resume(): void {
    if (!this.#paused || this.#ended) return
    this.#paused = false
    this.#readFrames()
    if (!this.#paused && !this.#ended) this.#options.socket.resume()
  }

  end(error: Error): void {
    if (this.#ended) return
    this.#stopStallTimer()
    this.#options.memory?.release(this.#memoryBytes)
    this.#memoryBytes = 0
    this.#ended = true
    this.#options.socket.destroy()
    this.#options.ended(error)
  }

  #readFrames(): void {
    try {
      while (!this.#paused && !this.#ended) {
        const frame = this.#reader.next()
        this.#answerGreeting()
        if (!frame) break
        this.#stopStallTimer()
        this.#options.take(frame)
      }
    } catch (error) {
      this.end(error as Error)
    }
    if (!this.#reader.isMidFrame) this.#stopStallTimer()
    else if (!this.#paused && !this.#ended) this.#startStallTimer()
  }

  #answerGreeting(): void {
    if (this.#greeted || !this.#reader.hasGreeting) return
    this.#greeted = true
    if (!this.#options.opens) this.#options.socket.write(GREETING)
  }

  #startStallTimer(): void {
    const { stallMs } = this.#options
    this.#stallTimer ??= setTimeout(() => this.end(new Error('the peer did not complete its message in time')), stallMs).unref()
  }

  #stopStallTimer(): void {
    clearTimeout(this.#stallTimer)
    this.#stallTimer = undefined
  }
}
