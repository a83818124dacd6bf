/**
 * A circuit breaker for a sink that did not answer in time. While it is open, entries fail immediately instead of waiting for a timeout.
 */
import type { Clock } from '../base/clock.ts'
import { NoAnswer } from '../base/deadline.ts'

export class SinkCircuitBreaker {
  readonly #clock: Clock
  readonly #ms: number
  /** When the timed-out call ended. Undefined while the call is still running. */
  #since: number | undefined

  /** @param ms How long the breaker stays open after the timed-out call has ended. */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  /** Called when the timed-out call or a trial entry has failed. Entries fail during the next `ms` milliseconds. */
  rest(): void {
    this.#since = this.#clock.now()
  }

  /**
   * Throws unless a trial entry may be written to the sink.
   * @param busy Whether another entry is already being written.
   * @throws NoAnswer if the breaker is open.
   */
  check(busy: boolean): void {
    if (busy || this.#since === undefined || this.#rests(this.#since))
      throw new NoAnswer('the audit sink did not answer for an earlier entry')
  }

  /** If the clock was set back, the breaker stops waiting. */
  #rests(since: number): boolean {
    const passed = this.#clock.now() - since
    return passed >= 0 && passed < this.#ms
  }
}
