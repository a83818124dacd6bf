/**
 * Which counters were used, of those that may still come. Source: RFC 6479, with one bit at a time.
 */
const COUNTERS = 1_024

const BITS = 32

export class ReplayWindow {
  #highest = -1
  /** A ring: the bit of a counter is that of its remainder. */
  readonly #used = new Uint32Array(COUNTERS / BITS)

  /** Whether a counter may be used: it was not, and is among the newest 1,024 below and with the highest, or above it. */
  isFree(counter: number): boolean {
    if (counter > this.#highest) return true
    return this.#highest - counter < COUNTERS && (this.#used[wordOf(counter)]! & bitOf(counter)) === 0
  }

  /** Uses a counter up. False, and nothing is changed, for one that is not free. */
  take(counter: number): boolean {
    if (!this.isFree(counter)) return false
    if (counter - this.#highest >= COUNTERS) this.#used.fill(0)
    else for (let skipped = this.#highest + 1; skipped < counter; skipped++) this.#used[wordOf(skipped)]! &= ~bitOf(skipped)
    this.#used[wordOf(counter)]! |= bitOf(counter)
    this.#highest = Math.max(this.#highest, counter)
    return true
  }
}

const wordOf = (counter: number): number => Math.floor((counter % COUNTERS) / BITS)

const bitOf = (counter: number): number => 1 << (counter % BITS)
