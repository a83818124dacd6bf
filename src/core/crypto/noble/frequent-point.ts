/**
 * Public key points with a precomputed table of multiples after frequent use, which makes verification three times as fast. Only for public
 * scalars. noble attaches a table to its point, so dropping the point frees the table.
 */
interface MultipliablePoint<P> {
  multiplyUnsafe(scalar: bigint): P
  precompute(windowSize: number, isLazy: boolean): P
}

/** A table is worth its cost after about ten verifications. */
const USES_BEFORE_TABLE = 8

/** For all keys together. A table takes about 150 KB. */
const MAX_TABLES = 32

/** Least recently used first. */
const pointsWithTable = new Set<{ dropTable(): void }>()

export class FrequentPoint<P extends MultipliablePoint<P>> {
  readonly #make: () => P
  readonly #windowBits: number
  #point: P
  #uses = 0

  /**
   * @param make Creates a new point object at each call.
   * @param windowBits Larger tables take longer to compute and more memory; 0 disables the table.
   */
  constructor(make: () => P, windowBits: number) {
    this.#make = make
    this.#windowBits = windowBits
    this.#point = make()
  }

  /** Counts a verification. Returns whether the point has a table now. */
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
