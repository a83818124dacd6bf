/**
 * A pause for a sink that left an entry unanswered, so that requests do not wait for it one after the other.
 */
import type { Clock } from '../base/clock.ts'
import { NoAnswer } from '../base/deadline.ts'

export class SinkCircuitBreaker {
  readonly #clock: Clock
  readonly #ms: number
  /** Undefined while the call is still under way. */
  #since: number | undefined

  /** @param ms How long the pause lasts after the call has ended. */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  /** The call has ended without success: the pause begins. */
  rest(): void {
    this.#since = this.#clock.now()
  }

  /**
   * Whether the sink may be tried again.
   * @param busy Whether a trial is under way.
   * @throws NoAnswer during the pause.
   */
  check(busy: boolean): void {
    if (busy || this.#since === undefined || this.#rests(this.#since))
      throw new NoAnswer('the audit sink left an entry unanswered')
  }

  /** A clock that was set back ends the pause. */
  #rests(since: number): boolean {
    const passed = this.#clock.now() - since
    return passed >= 0 && passed < this.#ms
  }
}
