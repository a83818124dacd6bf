/**
 * Points of public keys that verify often: their multiples are kept as a table, which makes a verification take a third of the time. For
 * public scalars only. noble ties a table to its point, so a point that is let go of takes its table along.
 */
interface MultipliablePoint<P> {
  multiplyUnsafe(scalar: bigint): P
  precompute(windowSize: number, isLazy: boolean): P
}

/** A table pays for itself after about ten verifications. */
const USES_BEFORE_TABLE = 8

/** Tables of all keys together; each takes some 150 KB. */
const MAX_TABLES = 32

/** Those that have a table, the one used last at the end. */
const pointsWithTable = new Set<{ dropTable(): void }>()

export class FrequentPoint<P extends MultipliablePoint<P>> {
  readonly #make: () => P
  readonly #windowBits: number
  #point: P
  #uses = 0

  /**
   * @param make Makes the point anew at every call.
   * @param windowBits More of them take longer to prepare, and more memory. 0: never a table.
   */
  constructor(make: () => P, windowBits: number) {
    this.#make = make
    this.#windowBits = windowBits
    this.#point = make()
  }

  /** Counts a verification. Whether there is a table now. */
  use(): boolean {
    if (this.#windowBits === 0 || ++this.#uses < USES_BEFORE_TABLE) return false
    if (!pointsWithTable.delete(this)) {
      for (const oldest of pointsWithTable) {
        if (pointsWithTable.size < MAX_TABLES) break
        oldest.dropTable()
      }
      this.#point.precompute(this.#windowBits, false)
    }
    pointsWithTable.add(this)
    return true
  }

  /** Not in constant time. */
  times(scalar: bigint): P {
    return this.#point.multiplyUnsafe(scalar)
  }

  dropTable(): void {
    pointsWithTable.delete(this)
    this.#uses = 0
    this.#point = this.#make()
  }
}
