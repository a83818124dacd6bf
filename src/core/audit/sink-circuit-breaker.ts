/** Fails entries at once after a sink did not answer in time, so that not every request waits for a timeout. */
import type { Clock } from '../base/clock.ts'
import { NoAnswer } from '../base/deadline.ts'

export class SinkCircuitBreaker {
  readonly #clock: Clock
  readonly #ms: number
  /** Undefined while the timed-out call is still running. */
  #since: number | undefined

  /** @param ms How long the breaker stays open after the call has ended. */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  /** Called when the timed-out call has failed: starts the pause. */
  rest(): void {
    this.#since = this.#clock.now()
  }

  /**
   * Whether the sink may be tried again.
   * @param busy Whether a trial entry is already being written.
   * @throws NoAnswer while the breaker is open.
   */
  check(busy: boolean): void {
    if (busy || this.#since === undefined || this.#rests(this.#since))
      throw new NoAnswer('the audit sink did not answer for an earlier entry')
  }

  /** A clock that was set back ends the pause. */
  #rests(since: number): boolean {
    const passed = this.#clock.now() - since
    return passed >= 0 && passed < this.#ms
  }
}
