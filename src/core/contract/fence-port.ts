/** The port to the fence register, which decides which cluster may write. */

/**
 * Keep one register per name in a place outside of the clusters that every cluster of the set can reach, such as a database row or an etcd
 * key. A register needs no clock and does not interpret its value. Both methods must be linearizable: a `read` that starts after a `swap`
 * has resolved returns the swapped value. If a register lets two swaps from one value succeed, two clusters can write at the same time, and
 * neither detects it.
 *
 * Each call may take 5 seconds, or `effectTimeoutMs` if that is less. A slower call counts as failed, although it may still take effect.
 * While calls fail, a primary may write only until its write lease ends.
 */
export interface FencePort {
  /** Returns the value of a register, which has at most 1,024 characters; undefined if the register has no value. */
  read(name: string, signal: AbortSignal): Promise<string | undefined>
  /**
   * Replaces `from` by `to` atomically.
   * @param from The value that `read` returned. Undefined: swap only if the register has no value.
   * @returns Whether the value was replaced. False means that the register had another value and was not changed.
   */
  swap(name: string, from: string | undefined, to: string, signal: AbortSignal): Promise<boolean>
}
