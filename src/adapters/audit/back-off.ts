const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 10_000

/** Limits how often a server is called that cannot be reached. During the delay, calls fail immediately with the last error. */
export class BackOff {
  #failures = 0
  #until = 0
  #error: Error | undefined

  /** @throws the last error, if its delay has not passed. */
  check(): void {
    if (this.#error && performance.now() < this.#until) throw this.#error
  }

  /** Starts the next delay, which is twice as long as the previous one, up to 10 seconds. */
  fail(error: Error): void {
    this.#until = performance.now() + Math.min(FIRST_DELAY_MS * 2 ** this.#failures, MAX_DELAY_MS)
    this.#failures = Math.min(this.#failures + 1, 16)
    this.#error = error
  }

  succeed(): void {
    this.#failures = 0
    this.#error = undefined
  }
}
