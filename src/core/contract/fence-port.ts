/**
 * The port that decides between two clusters which of them may write.
 */

/**
 * One register for each name, in a place that every cluster of the set reaches, and none of them is: a row of a database, a key of etcd. It
 * knows neither time nor clusters; what it holds is the kernel's. Both methods are linearizable: a `read` that begins when a `swap` has
 * resolved sees what that has put. A register in which two swaps from the same value succeed lets two clusters write, and nobody can tell.
 *
 * Each call has 5 seconds, or `effectTimeoutMs` where that is less; one that takes longer counts as failed, and may take effect all the
 * same. While it fails, a primary may write until its term is over.
 */
export interface FencePort {
  /** The value of a register; undefined while there is none. At most 1,024 characters. */
  read(name: string, signal: AbortSignal): Promise<string | undefined>
  /**
   * Puts `to` in the place of `from` as one step.
   * @param from What `read` gave; undefined: only where there is no value.
   * @returns Whether it was done: false, and nothing has changed, where another value was there.
   */
  swap(name: string, from: string | undefined, to: string, signal: AbortSignal): Promise<boolean>
}
