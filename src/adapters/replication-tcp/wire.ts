/**
 * One end of a connection: frames in and out, and the times after which it ends.
 */
import type { Socket } from 'node:net'
import { encodeFrame, type Frame, GREETING } from './frame.ts'
import { FrameReader } from './frame-reader.ts'

/** Memory that others share. */
export interface Memory {
  /** Whether there was room for them. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export interface WireOptions {
  readonly socket: Socket
  /** This side speaks first, and the other answers a right greeting with its own. */
  readonly opens: boolean
  readonly idleMs: number
  readonly stallMs: number
  /** Where the memory for what arrives comes from. Default: anywhere. */
  readonly room?: Memory
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
    if (!this.hold(bytes)) throw new Error('there is no room for further messages')
  })
  #held = 0
  #greeted = false
  #paused = false
  #ended = false
  #stalled: NodeJS.Timeout | undefined

  constructor(options: WireOptions) {
    const { socket, opens, idleMs } = options
    this.#options = options
    socket.on('data', (chunk: Uint8Array) => {
      this.#reader.feed(chunk)
      this.#work()
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
    this.#watch()
  }

  /** Bytes of memory that are held for this connection. */
  get held(): number {
    return this.#held
  }

  /** Takes room. Returns whether there was any; an ended connection has none. */
  hold(bytes: number): boolean {
    if (this.#ended) return false
    if (this.#options.room && !this.#options.room.take(bytes)) return false
    this.#held += bytes
    return true
  }

  release(bytes: number): void {
    // The end gave back everything.
    if (this.#ended) return
    this.#held -= bytes
    this.#options.room?.give(bytes)
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
    this.#unwatch()
  }

  resume(): void {
    if (!this.#paused || this.#ended) return
    this.#paused = false
    this.#work()
    if (!this.#paused && !this.#ended) this.#options.socket.resume()
  }

  end(error: Error): void {
    if (this.#ended) return
    this.#unwatch()
    this.#options.room?.give(this.#held)
    this.#held = 0
    this.#ended = true
    this.#options.socket.destroy()
    this.#options.ended(error)
  }

  #work(): void {
    try {
      while (!this.#paused && !this.#ended) {
        const frame = this.#reader.next()
        this.#greet()
        if (!frame) break
        this.#unwatch()
        this.#options.take(frame)
      }
    } catch (error) {
      this.end(error as Error)
    }
    if (!this.#reader.begun) this.#unwatch()
    else if (!this.#paused && !this.#ended) this.#watch()
  }

  #greet(): void {
    if (this.#greeted || !this.#reader.greeted) return
    this.#greeted = true
    if (!this.#options.opens) this.#options.socket.write(GREETING)
  }

  #watch(): void {
    const { stallMs } = this.#options
    this.#stalled ??= setTimeout(() => this.end(new Error('the peer does not finish what it began to send')), stallMs).unref()
  }

  #unwatch(): void {
    clearTimeout(this.#stalled)
    this.#stalled = undefined
  }
}
