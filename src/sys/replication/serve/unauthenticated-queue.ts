/**
 * Queues messages of unauthenticated senders. The number that is processed at once is limited, because each message can require a key
 * agreement, which takes about a millisecond of processor time.
 */

/** The maximum length of a message. All valid hellos and activations are shorter. Longer messages get no answer and are not decrypted. */
export const MAX_UNAUTHENTICATED_BYTES = 4096

/** The number of messages that are processed concurrently. */
const MAX_RUNNING = 4

/** The maximum number of queued messages; further messages get no answer. A message waits in the queue for at most a second or two. */
export const MAX_WAITING = 1024

export class UnauthenticatedQueue {
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** Returns undefined, without calling `work`, if the message is too long or the queue is full. */
  async run<T>(message: Uint8Array, work: () => Promise<T>): Promise<T | undefined> {
    if (message.length > MAX_UNAUTHENTICATED_BYTES || this.#waiting.length >= MAX_WAITING) return undefined
    if (this.#running >= MAX_RUNNING) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await work()
    } finally {
      // Let the next queued message take the place of this one, so `#running` stays the same.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
