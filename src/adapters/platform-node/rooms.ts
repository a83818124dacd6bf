/**
 * Reuses memory for long values. Fresh memory takes longer than encrypting it: the system provides each page at its first use, and V8
 * collects sooner the more was allocated.
 */
import type { Rooms } from '../../core/base/rooms.ts'
import { SLICE_BYTES } from '../../core/base/steps.ts'

const MAX_BUFFER_BYTES = 4_194_304

/** The maximum number of pooled bytes: enough for 16 messages of 1 MiB that are encrypted concurrently. */
const MAX_POOLED_BYTES = 33_554_432

/** The buffers of a call: for its input and for its result, twice. */
const FEW = 4

/** Buffer lengths are multiples of this number of bytes, so that a buffer fits values of about the same length. */
const GRAIN = 65_536

class BufferPool implements Rooms {
  #kept: ArrayBuffer[] = []
  #bytes = 0
  readonly #taken = new WeakSet<Uint8Array>()
  #inUse = 0
  /** Counts buffers that were never returned: those of failed calls. */
  readonly #lost = new FinalizationRegistry(() => {
    this.#inUse--
  })
  /** Detects garbage collections by an object that the next one collects. */
  readonly #collections = new FinalizationRegistry(() => this.#collected())
  #isListening = false
  #isUsed = false

  take(length: number): Uint8Array {
    if (length <= SLICE_BYTES || length > MAX_BUFFER_BYTES) return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
    this.#isUsed = true
    const room = new Uint8Array(
      this.#fitting(length) ?? Buffer.allocUnsafeSlow(Math.ceil(length / GRAIN) * GRAIN).buffer,
      0,
      length,
    )
    this.#taken.add(room)
    this.#inUse++
    this.#lost.register(room, undefined, room)
    return room
  }

  get areMany(): boolean {
    return this.#inUse > FEW
  }

  isTaken(bytes: Uint8Array): boolean {
    return bytes.length > SLICE_BYTES && this.#taken.has(bytes)
  }

  giveBack(bytes: Uint8Array): void {
    if (bytes.length <= SLICE_BYTES || !this.#taken.delete(bytes)) return
    this.#inUse--
    this.#lost.unregister(bytes)
    const buffer = bytes.buffer as ArrayBuffer
    if (this.#bytes + buffer.byteLength > MAX_POOLED_BYTES) return
    this.#kept.push(buffer)
    this.#bytes += buffer.byteLength
    if (!this.#isListening) this.#listen()
  }

  /** The smallest buffer that is long enough, unless most of it would be unused. */
  #fitting(length: number): ArrayBuffer | undefined {
    let best = -1
    let size = length * 2
    for (const [at, { byteLength }] of this.#kept.entries()) {
      if (byteLength < length || byteLength >= size) continue
      best = at
      size = byteLength
    }
    if (best < 0) return undefined
    this.#bytes -= size
    return this.#kept.splice(best, 1)[0]
  }

  #listen(): void {
    this.#isListening = true
    this.#collections.register({}, undefined)
  }

  /** Releases buffers that were not used between two collections. */
  #collected(): void {
    this.#isListening = false
    if (this.#isUsed) {
      this.#isUsed = false
      this.#listen()
    } else {
      this.#kept = []
      this.#bytes = 0
    }
  }
}

export const rooms: Rooms = /* @__PURE__ */ new BufferPool()
