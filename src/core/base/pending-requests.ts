/**
 * Pending requests of a transport, by request number.
 */

interface PendingRequest<T> {
  readonly resolve: (answer: T) => void
  readonly reject: (reason: unknown) => void
  readonly forget: () => void
}

/** Settles every request exactly once: with its answer, an error, or the reason of its signal. Later results are ignored. */
export class PendingRequests<T> {
  readonly #pending = new Map<number, PendingRequest<T>>()
  readonly #emptied: () => void
  #last = 0

  /** @param emptied Called whenever the last pending request has been settled. */
  constructor(emptied: () => void = () => {}) {
    this.#emptied = emptied
  }

  get size(): number {
    return this.#pending.size
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
      this.#pending.set(id, { resolve, reject, forget: () => signal.removeEventListener('abort', abort) })
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
    for (const id of [...this.#pending.keys()]) this.reject(id, reason)
  }

  #free(): number {
    do this.#last = (this.#last + 1) >>> 0
    while (this.#pending.has(this.#last))
    return this.#last
  }

  #take(id: number): PendingRequest<T> | undefined {
    const pending = this.#pending.get(id)
    if (!pending) return undefined
    this.#pending.delete(id)
    pending.forget()
    if (this.#pending.size === 0) this.#emptied()
    return pending
  }
}
