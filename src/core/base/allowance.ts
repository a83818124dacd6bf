/**
 * How much work is done for callers who have shown no token.
 */
import type { Clock } from './clock.ts'
import { KernelError } from './errors.ts'

/**
 * An amount that refills by the clock: a token bucket. Work takes its share before it begins, so that what is under way counts, and gives it
 * back when it turns out to be work for somebody who was let in: what is bounded is the work that came to nothing.
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
    // A clock that was set back gives nothing and takes nothing.
    this.#left = Math.min(this.#most, this.#left + (Math.max(0, now - this.#at) / 1000) * this.#perSecond)
    this.#at = now
    if (this.#left < amount)
      throw new KernelError('ERR_TOO_MANY_REQUESTS', 'too many failed attempts without a token: try again in a second')
    this.#left -= amount
  }

  /** The work was for somebody who may have it. */
  giveBack(amount = 1): void {
    this.#left = Math.min(this.#most, this.#left + amount)
  }
}
