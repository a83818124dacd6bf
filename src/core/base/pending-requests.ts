/**
 * Pending requests of a transport, by request number.
 */

interface PendingRequest<T> {
  readonly resolve: (answer: T) => void
  readonly reject: (reason: unknown) => void
  readonly forget: () => void
}

/** Settles every request exactly once: with its answer, an error, or its signal's reason. Later results are ignored. */
export class PendingRequests<T> {
  readonly #waiting = new Map<number, PendingRequest<T>>()
  readonly #emptied: () => void
  #last = 0

  /** @param emptied Called whenever the last pending request was settled. */
  constructor(emptied: () => void = () => {}) {
    this.#emptied = emptied
  }

  get size(): number {
    return this.#waiting.size
  }

  /**
   * Assigns a number to a request and waits for the answer.
   * @param send Receives the number, an unsigned 32-bit integer. If it throws, the request is rejected.
   */
  send(signal: AbortSignal, send: (id: number) => void): Promise<T> {
    if (signal.aborted) return Promise.reject(signal.reason)
    const id = this.#free()
    return new Promise((resolve, reject) => {
      const abort = (): void => this.reject(id, signal.reason)
      this.#waiting.set(id, { resolve, reject, forget: () => signal.removeEventListener('abort', abort) })
      signal.addEventListener('abort', abort, { once: true })
      try {
        send(id)
      } catch (error) {
        this.reject(id, error)
      }
    })
  }

  resolve(id: number, answer: T): void {
    this.#take(id)?.resolve(answer)
  }

  reject(id: number, reason: unknown): void {
    this.#take(id)?.reject(reason)
  }

  rejectAll(reason: unknown): void {
    for (const id of [...this.#waiting.keys()]) this.reject(id, reason)
  }

  #free(): number {
    do this.#last = (this.#last + 1) >>> 0
    while (this.#waiting.has(this.#last))
    return this.#last
  }

  #take(id: number): PendingRequest<T> | undefined {
    const waiting = this.#waiting.get(id)
    if (!waiting) return undefined
    this.#waiting.delete(id)
    waiting.forget()
    if (this.#waiting.size === 0) this.#emptied()
    return waiting
  }
}
