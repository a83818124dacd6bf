/** The port to the fence register, which decides which cluster may write. */

/**
 * One register per name, in a place outside of the clusters that every cluster of the set can reach: a database row, an etcd key.
 * It needs no clock and does not interpret values. Both methods must be linearizable: a `read` that starts after a `swap` has resolved
 * returns the swapped value. A register in which two swaps from the same value succeed lets two clusters write without anyone noticing.
 *
 * Each call has 5 seconds, or `effectTimeoutMs` if that is less. A slower call counts as failed but may still take effect. While calls
 * fail, a primary may write until its write lease ends.
 */
export interface FencePort {
  /** The value of a register; undefined if it has none. At most 1,024 characters. */
  read(name: string, signal: AbortSignal): Promise<string | undefined>
  /**
   * Replaces `from` by `to` atomically.
   * @param from The value that `read` returned. Undefined: succeed only if there is no value.
   * @returns Whether the value was replaced. False means that the register had another value and is unchanged.
   */
  swap(name: string, from: string | undefined, to: string, signal: AbortSignal): Promise<boolean>
}
