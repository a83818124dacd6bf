/**
 * Messages of strangers take turns: each may cost an agreement of keys, about a millisecond of the processor.
 */

/** A hello and an activation are shorter. A longer message is refused before any of it is decrypted. */
export const MAX_UNAUTHENTICATED_BYTES = 4096

/** Messages that are answered at a time. */
const MAX_RUNNING = 4

/** Messages that wait; further ones get no answer. They are kept for a second or two at the most. */
export const MAX_WAITING = 1024

export class UnauthenticatedQueue {
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** Undefined without any work for a message that is too long, and while too many wait. */
  async run<T>(message: Uint8Array, work: () => Promise<T>): Promise<T | undefined> {
    if (message.length > MAX_UNAUTHENTICATED_BYTES || this.#waiting.length >= MAX_WAITING) return undefined
    if (this.#running >= MAX_RUNNING) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await work()
    } finally {
      // The place goes on to the next one that waits.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
