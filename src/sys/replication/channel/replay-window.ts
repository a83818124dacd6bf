/** Remembers which of the latest nonces were used, one bit for each nonce. Source: RFC 6479. */

/** The number of latest nonces that are remembered: enough for 127 pending requests of the maximum length, each with 129 nonces. */
const NONCES = 16_384

const BITS = 32

export class ReplayWindow {
  #highest = -1
  /** A ring buffer of bits: nonce `n` has the bit at `n % NONCES`. */
  readonly #used = new Uint32Array(NONCES / BITS)

  /** Whether `count` nonces are unused, and all are less than 16,384 below the highest used nonce. */
  areFree(first: number, count: number): boolean {
    if (first <= this.#highest - NONCES) return false
    for (let nonce = first; nonce < first + count && nonce <= this.#highest; nonce++)
      if ((this.#used[wordOf(nonce)]! & bitOf(nonce)) !== 0) return false
    return true
  }

  /** Marks `count` nonces as used. Returns false, without a change, if any of them was used already or is too old. */
  take(first: number, count: number): boolean {
    if (!this.areFree(first, count)) return false
    if (first - this.#highest >= NONCES) this.#used.fill(0)
    else for (let skipped = this.#highest + 1; skipped < first; skipped++) this.#used[wordOf(skipped)]! &= ~bitOf(skipped)
    for (let nonce = first; nonce < first + count; nonce++) this.#used[wordOf(nonce)]! |= bitOf(nonce)
    this.#highest = Math.max(this.#highest, first + count - 1)
    return true
  }
}

const wordOf = (nonce: number): number => Math.floor((nonce % NONCES) / BITS)

const bitOf = (nonce: number): number => 1 << (nonce % BITS)
