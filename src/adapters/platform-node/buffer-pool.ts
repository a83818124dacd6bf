/**
 * A pool of reusable buffers for long values. Allocating a long buffer takes longer than encrypting its content: the operating system
 * provides each page at its first use, and V8 collects garbage more often the more memory is allocated.
 */
import type { BufferPool } from '../../core/base/buffer-pool.ts'
import { SLICE_BYTES } from '../../core/base/steps.ts'

const MAX_BUFFER_BYTES = 4_194_304

/** The maximum number of bytes that are kept for later use: enough to encrypt 16 messages of 1 MiB concurrently. */
const MAX_POOLED_BYTES = 33_554_432

/** The number of buffers that two calls need for their inputs and results. If more buffers are in use, `hasSeveralUsers` is true. */
const FEW_BUFFERS = 4

/** Sizes are multiples of this many bytes, so that a buffer fits values of similar lengths. */
const SIZE_STEP_BYTES = 65_536

class NodeBufferPool implements BufferPool {
  #kept: ArrayBuffer[] = []
  #bytes = 0
  readonly #taken = new WeakSet<Uint8Array>()
  #inUse = 0
  /** Corrects the count when a buffer is garbage-collected without a release, because its call failed. */
  readonly #lost = new FinalizationRegistry(() => {
    this.#inUse--
  })
  /** Detects garbage collections: each one collects the object registered here. */
  readonly #collections = new FinalizationRegistry(() => this.#collected())
  #isListening = false
  #isUsed = false

  take(length: number): Uint8Array {
    if (length <= SLICE_BYTES || length > MAX_BUFFER_BYTES) return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
    this.#isUsed = true
    const bytes = new Uint8Array(
      this.#takeFitting(length) ?? Buffer.allocUnsafeSlow(Math.ceil(length / SIZE_STEP_BYTES) * SIZE_STEP_BYTES).buffer,
      0,
      length,
    )
    this.#taken.add(bytes)
    this.#inUse++
    this.#lost.register(bytes, undefined, bytes)
    return bytes
  }

  get hasSeveralUsers(): boolean {
    return this.#inUse > FEW_BUFFERS
  }

  isTaken(bytes: Uint8Array): boolean {
    return bytes.length > SLICE_BYTES && this.#taken.has(bytes)
  }

  release(bytes: Uint8Array): void {
    if (bytes.length <= SLICE_BYTES || !this.#taken.delete(bytes)) return
    this.#inUse--
    this.#lost.unregister(bytes)
    const buffer = bytes.buffer as ArrayBuffer
    if (this.#bytes + buffer.byteLength > MAX_POOLED_BYTES) return
    this.#kept.push(buffer)
    this.#bytes += buffer.byteLength
    if (!this.#isListening) this.#listen()
  }

  /** Takes the smallest kept buffer that is long enough, unless more than half of it would be unused. */
  #takeFitting(length: number): ArrayBuffer | undefined {
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

  /** Drops all kept buffers if none was taken since the previous garbage collection. */
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

export const bufferPool: BufferPool = /* @__PURE__ */ new NodeBufferPool()
