/**
 * A sink that left an entry unanswered: how long it is left alone, so that requests do not wait for it one after the other.
 */
import type { Clock } from '../base/clock.ts'
import { NoAnswer } from '../base/deadline.ts'

export class Silence {
  readonly #clock: Clock
  readonly #ms: number
  /** Undefined: the call is still under way. */
  #since: number | undefined

  /** @param ms How long it rests after the call has ended. */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  /** The call has ended without having been of use. */
  rest(): void {
    this.#since = this.#clock.now()
  }

  /**
   * Whether the sink may be tried again.
   * @param busy It is being tried.
   * @throws NoAnswer where it is left alone.
   */
  check(busy: boolean): void {
    if (busy || this.#since === undefined || this.#rests(this.#since))
      throw new NoAnswer('the audit sink left an entry unanswered')
  }

  /** A clock that was set back ends it. */
  #rests(since: number): boolean {
    const passed = this.#clock.now() - since
    return passed >= 0 && passed < this.#ms
  }
}
