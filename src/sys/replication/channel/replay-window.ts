/** Remembers which of the latest counters were used, one bit for each counter. Source: RFC 6479. */
const COUNTERS = 1_024

const BITS = 32

export class ReplayWindow {
  #highest = -1
  /** A ring buffer of bits: counter `n` has the bit at `n % COUNTERS`. */
  readonly #used = new Uint32Array(COUNTERS / BITS)

  /** Whether a counter is unused, and is less than 1,024 below the highest used counter. */
  isFree(counter: number): boolean {
    if (counter > this.#highest) return true
    return this.#highest - counter < COUNTERS && (this.#used[wordOf(counter)]! & bitOf(counter)) === 0
  }

  /** Marks a counter as used. Returns false, without a change, if the counter was used already or is too old. */
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
