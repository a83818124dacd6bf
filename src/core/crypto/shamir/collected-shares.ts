/** The key shares that operators have given to this process so far. */
import { equalBytes } from '../equal.ts'
import { combineKey } from './shares.ts'

export class CollectedShares {
  #shares: Uint8Array[] = []

  get count(): number {
    return this.#shares.length
  }

  /** Adds a share and takes ownership of it. Returns false if the share was added before; the repeated share is then wiped. */
  add(share: Uint8Array): boolean {
    // Compare with all shares, so that the time does not reveal which share is equal.
    const repeated = this.#shares.filter((given) => given.length === share.length && equalBytes(given, share)).length > 0
    if (repeated) share.fill(0)
    else this.#shares.push(share)
    return !repeated
  }

  /**
   * Reconstructs the key. The caller must verify and wipe the key. The shares are always wiped.
   * @throws KernelError 400 if the shares have different lengths, or if two shares have the same x coordinate
   */
  combine(threshold: number): Uint8Array {
    try {
      return combineKey(this.#shares, threshold)
    } finally {
      this.clear()
    }
  }

  clear(): void {
    for (const share of this.#shares) share.fill(0)
    this.#shares = []
  }
}
