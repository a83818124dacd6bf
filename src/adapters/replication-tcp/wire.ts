/**
 * One end of a connection: frames in and out, and the times after which it ends.
 */
import type { Socket } from 'node:net'
import { encodeFrame, type Frame, GREETING } from './frame.ts'
import { FrameReader } from './frame-reader.ts'

/** Memory that others share. */
export interface WireMemory {
  /** Whether there was room for them. */
  reserve(bytes: number): boolean
  release(bytes: number): void
}

export interface WireOptions {
  readonly socket: Socket
  /** This side speaks first, and the other answers a right greeting with its own. */
  readonly opens: boolean
  readonly idleMs: number
  readonly stallMs: number
  /** Where the memory for what arrives comes from. Default: anywhere. */
  readonly memory?: WireMemory
  /** Whether something is under way that the connection is kept for. */
  isBusy(): boolean
  /** Called with each frame; its content has been held until {@link Wire.release}. Throwing ends the connection. */
  take(frame: Frame): void
  /** Called once. */
  ended(error: Error): void
}

/** Ends by itself, with an error, for every peer that does not keep to the protocol or to the times. */
export class Wire {
  readonly #options: WireOptions
  readonly #reader = new FrameReader((bytes) => {
    if (!this.reserve(bytes)) throw new Error('there is no room for further messages')
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
      else if (socket.writableLength > 0) this.end(new Error('the peer takes nothing of what is sent'))
    })
    socket.on('error', (error) => this.end(error))
    // Half a connection is of no use: neither side ends its half while it waits for anything.
    socket.on('end', () => this.end(new Error('the peer ended the connection')))
    socket.on('close', () => this.end(new Error('the connection was closed')))
    socket.setTimeout(idleMs)
    if (opens) socket.write(GREETING)
    this.#startStallTimer()
  }

  /** Bytes of memory that are held for this connection. */
  get memoryBytes(): number {
    return this.#memoryBytes
  }

  /** Takes room. Returns whether there was any; an ended connection has none. */
  reserve(bytes: number): boolean {
    if (this.#ended) return false
    if (this.#options.memory && !this.#options.memory.reserve(bytes)) return false
    this.#memoryBytes += bytes
    return true
  }

  release(bytes: number): void {
    // The end gave back everything.
    if (this.#ended) return
    this.#memoryBytes -= bytes
    this.#options.memory?.release(bytes)
  }

  /** @param written Called when the frame has left, or when the connection has ended. */
  send(kind: number, id: number, content: Uint8Array, written?: () => void): void {
    if (this.#ended) written?.()
    else this.#options.socket.write(encodeFrame(kind, id, content), written)
  }

  /** Takes nothing more from the peer until {@link resume}: what it sends fills its own buffers. */
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
    this.#stallTimer ??= setTimeout(() => this.end(new Error('the peer does not finish what it began to send')), stallMs).unref()
  }

  #stopStallTimer(): void {
    clearTimeout(this.#stallTimer)
    this.#stallTimer = undefined
  }
}
