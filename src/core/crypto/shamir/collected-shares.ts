/** Key shares that operators have entered in this process so far. */
import { equalBytes } from '../equal.ts'
import { combineKey } from './shares.ts'

export class CollectedShares {
  #shares: Uint8Array[] = []

  get count(): number {
    return this.#shares.length
  }

  /** Takes over the share. False if it was added before; the repeated share is wiped. */
  add(share: Uint8Array): boolean {
    // Compare with all shares, so that the time does not reveal which one matched.
    const repeated = this.#shares.filter((given) => given.length === share.length && equalBytes(given, share)).length > 0
    if (repeated) share.fill(0)
    else this.#shares.push(share)
    return !repeated
  }

  /**
   * The key, which the caller must verify and wipe. The shares are wiped in any case.
   * @throws KernelError 400 for shares that do not belong together
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
