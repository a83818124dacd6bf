/** Sends audit entries to a server, one batch at a time and in order. */

/** The maximum number of bytes that wait in one queue. Further entries are refused, so a server that stalls cannot exhaust memory. */
const MAX_WAITING_BYTES = 16_777_216

interface QueuedEntry {
  readonly bytes: Buffer
  readonly signal: AbortSignal | undefined
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
  readonly onAbort: () => void
  /** The batch that is being sent with this entry. */
  batch: Batch | undefined
}

interface Batch {
  /** The number of callers that still wait for the batch. */
  waiting: number
  readonly stop: AbortController
}

export interface EntryQueueParts {
  /** The public function that made the sink, for messages. */
  readonly what: string
  /** A batch contains all waiting entries up to this number of bytes, and at least one entry. */
  readonly maxBatchBytes: number
  /**
   * Resolves when the server, or the operating system, has all entries of the batch. `signal` is aborted when no caller waits for the batch
   * any longer; the call must then reject soon, and must not deliver the batch later.
   */
  send(batch: readonly Buffer[], signal: AbortSignal): Promise<void>
}

export class EntryQueue {
  readonly #parts: EntryQueueParts
  readonly #entries: QueuedEntry[] = []
  #bytes = 0
  #draining: Promise<void> | undefined

  constructor(parts: EntryQueueParts) {
    this.#parts = parts
  }

  /**
   * Resolves when the entry was sent.
   * @throws the error of `send`, the reason of the signal, or an Error if too many bytes wait.
   */
  add(bytes: Buffer, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      if (this.#bytes + bytes.length > MAX_WAITING_BYTES)
        throw new Error(`${this.#parts.what}: too many bytes wait for the server (at most ${MAX_WAITING_BYTES})`)
      const entry: QueuedEntry = { bytes, signal, resolve, reject, onAbort: () => this.#abort(entry), batch: undefined }
      this.#bytes += bytes.length
      this.#entries.push(entry)
      signal?.addEventListener('abort', entry.onAbort, { once: true })
      this.#draining ??= this.#drain()
    })
  }

  /** Resolves when all entries have been sent or rejected. */
  async idle(): Promise<void> {
    await this.#draining
  }

  #abort(entry: QueuedEntry): void {
    const { batch } = entry
    entry.reject(entry.signal?.reason)
    if (batch) {
      if (--batch.waiting === 0) batch.stop.abort(entry.signal?.reason)
      return
    }
    const at = this.#entries.indexOf(entry)
    if (at < 0) return
    this.#entries.splice(at, 1)
    this.#bytes -= entry.bytes.length
  }

  async #drain(): Promise<void> {
    // Entries that are added in the same turn of the event loop belong to the first batch.
    await undefined
    while (this.#entries.length > 0) await this.#send(this.#takeBatch())
    this.#draining = undefined
  }

  #takeBatch(): readonly QueuedEntry[] {
    let count = 0
    let bytes = 0
    for (const entry of this.#entries) {
      bytes += entry.bytes.length
      if (count > 0 && bytes > this.#parts.maxBatchBytes) break
      count++
    }
    return this.#entries.splice(0, count)
  }

  async #send(entries: readonly QueuedEntry[]): Promise<void> {
    const batch: Batch = { waiting: entries.length, stop: new AbortController() }
    for (const entry of entries) entry.batch = batch
    try {
      await this.#parts.send(
        entries.map(({ bytes }) => bytes),
        batch.stop.signal,
      )
      for (const { resolve } of entries) resolve()
    } catch (error) {
      for (const { reject } of entries) reject(error)
    } finally {
      for (const { bytes, signal, onAbort } of entries) {
        this.#bytes -= bytes.length
        signal?.removeEventListener('abort', onAbort)
      }
    }
  }
}
