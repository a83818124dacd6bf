/**
 * Points of public keys. After frequent use, a point gets a precomputed table of its multiples, which makes verification three times as
 * fast. Use it only with public scalars, because the time of a multiplication depends on the scalar. noble attaches the table to the point
 * object, so dropping the object frees the table.
 */
interface MultipliablePoint<P> {
  multiplyUnsafe(scalar: bigint): P
  precompute(windowSize: number, isLazy: boolean): P
}

/**
 * The number of verifications after which a table is computed. After about ten verifications with it, the table has saved as much time as
 * its computation took.
 */
const USES_BEFORE_TABLE = 8

/** The maximum number of tables for all keys together. A table takes about 150 KB. */
const MAX_TABLES = 32

/** The points that have a table. The least recently used point is first. */
const pointsWithTable = new Set<{ dropTable(): void }>()

export class FrequentPoint<P extends MultipliablePoint<P>> {
  readonly #make: () => P
  readonly #windowBits: number
  #point: P
  #uses = 0

  /**
   * @param make Creates the point. Must return a new object at each call.
   * @param windowBits The window size. Larger tables take more time and memory; 0 means no table.
   */
  constructor(make: () => P, windowBits: number) {
    this.#make = make
    this.#windowBits = windowBits
    this.#point = make()
  }

  /** Counts a verification. Returns whether the point has a table afterwards. */
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

  /** Multiplies the point. Not in constant time. */
  times(scalar: bigint): P {
    return this.#point.multiplyUnsafe(scalar)
  }

  dropTable(): void {
    pointsWithTable.delete(this)
    this.#uses = 0
    this.#point = this.#make()
  }
}
