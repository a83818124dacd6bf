/**
 * Shares that people have given to this process, until there are enough.
 */
import { equalBytes } from '../equal.ts'
import { combineKey } from './shares.ts'

export class CollectedShares {
  #shares: Uint8Array[] = []

  get count(): number {
    return this.#shares.length
  }

  /** Takes the share for its own. False for one that was given before, which is wiped. */
  add(share: Uint8Array): boolean {
    // All are looked at, so that the time does not tell which one it was.
    const repeated = this.#shares.filter((given) => given.length === share.length && equalBytes(given, share)).length > 0
    if (repeated) share.fill(0)
    else this.#shares.push(share)
    return !repeated
  }

  /**
   * The key they give, which is the caller's to prove and to wipe. They are forgotten, whatever comes out.
   * @throws KernelError 400 for shares that do not belong together.
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
