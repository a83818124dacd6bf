/**
 * Limits the work done for callers who have shown no token.
 */
import type { Clock } from './clock.ts'
import { KernelError } from './errors.ts'

/**
 * A token bucket: an amount that refills by the clock. Work takes its share before it begins, so that running work counts, and gives it
 * back when its caller is admitted: only work that came to nothing is limited.
 */
export class Allowance {
  readonly #clock: Clock
  readonly #perSecond: number
  readonly #most: number
  #left: number
  #at: number

  /** `perSecond` refills; `most` is what can be taken at once after a quiet time. The unit is the caller's. */
  constructor(clock: Clock, perSecond: number, most: number = perSecond) {
    this.#clock = clock
    this.#perSecond = perSecond
    this.#most = most
    this.#left = most
    this.#at = clock.now()
  }

  /**
   * Takes `amount`, or refuses the caller.
   * @throws {@link KernelError} ERR_TOO_MANY_REQUESTS (429) when less than that is left.
   */
  take(amount = 1): void {
    const now = this.#clock.now()
    // A clock that was set back neither adds nor removes anything.
    this.#left = Math.min(this.#most, this.#left + (Math.max(0, now - this.#at) / 1000) * this.#perSecond)
    this.#at = now
    if (this.#left < amount)
      throw new KernelError('ERR_TOO_MANY_REQUESTS', 'too many failed attempts without a token: try again in a second')
    this.#left -= amount
  }

  /** Returns the share of work whose caller was admitted. */
  giveBack(amount = 1): void {
    this.#left = Math.min(this.#most, this.#left + amount)
  }
}
