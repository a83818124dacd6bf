/**
 * Requests that wait for their answers, by number.
 */

interface Waiting<T> {
  readonly resolve: (answer: T) => void
  readonly reject: (reason: unknown) => void
  readonly forget: () => void
}

/** Every request is settled once: by its answer, by an error, or by its signal. Whatever comes later is ignored. */
export class Awaited<T> {
  readonly #waiting = new Map<number, Waiting<T>>()
  readonly #emptied: () => void
  #last = 0

  /** @param emptied Called each time the last waiting request was settled. */
  constructor(emptied: () => void = () => {}) {
    this.#emptied = emptied
  }

  get size(): number {
    return this.#waiting.size
  }

  /**
   * Numbers a request and waits for its answer.
   * @param send Is given the number, an unsigned integer of 32 bits. Throwing rejects the request.
   */
  ask(signal: AbortSignal, send: (id: number) => void): Promise<T> {
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

  #take(id: number): Waiting<T> | undefined {
    const waiting = this.#waiting.get(id)
    if (!waiting) return undefined
    this.#waiting.delete(id)
    waiting.forget()
    if (this.#waiting.size === 0) this.#emptied()
    return waiting
  }
}
