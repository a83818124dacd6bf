/**
 * Limits work for callers that are not authenticated yet.
 */
import type { Clock } from './clock.ts'
import { KernelError } from './errors.ts'

/**
 * A token bucket that refills over time. The cost of a piece of work is taken from the bucket before the work begins, so that concurrent
 * work is counted too. If the caller turns out to be valid, the cost is returned. So only work for invalid callers is limited.
 */
export class Allowance {
  readonly #clock: Clock
  readonly #perSecond: number
  readonly #capacity: number
  #left: number
  #refilledAt: number

  /**
   * @param perSecond The refill rate. The caller chooses the unit.
   * @param capacity The maximum amount that can be taken at once after a pause.
   */
  constructor(clock: Clock, perSecond: number, capacity: number = perSecond) {
    this.#clock = clock
    this.#perSecond = perSecond
    this.#capacity = capacity
    this.#left = capacity
    this.#refilledAt = clock.now()
  }

  /**
   * Takes `amount`.
   * @throws KernelError ERR_TOO_MANY_REQUESTS (429) if less than `amount` is left.
   */
  take(amount = 1): void {
    const now = this.#clock.now()
    // If the clock was set back, the difference is negative. Count it as 0.
    this.#left = Math.min(this.#capacity, this.#left + (Math.max(0, now - this.#refilledAt) / 1000) * this.#perSecond)
    this.#refilledAt = now
    if (this.#left < amount)
      throw new KernelError('ERR_TOO_MANY_REQUESTS', 'too many failed attempts without a token: try again in a second')
    this.#left -= amount
  }

  /** Returns the amount that was taken for work whose caller turned out to be valid. */
  giveBack(amount = 1): void {
    this.#left = Math.min(this.#capacity, this.#left + amount)
  }
}
