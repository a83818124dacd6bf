/** The port to the fence register, which decides which cluster may write. */

/**
 * Keep one register per name, such as a database row or an etcd key. The registers must be stored outside of the clusters, where every
 * cluster of the set can reach them. A register needs no clock and does not interpret its value. Both methods must be linearizable: a
 * `read` that starts after a `swap` has resolved returns the swapped value. If two calls of `swap` with the same `from` both succeed, two
 * clusters can write at the same time, and neither cluster detects it.
 *
 * Each call may take 5 seconds, or `effectTimeoutMs` if that is less. A slower call counts as failed, although it may still take effect.
 * While calls fail, a primary may write only until its write lease ends.
 */
export interface FencePort {
  /** Returns the value of a register, which has at most 1,024 characters; undefined if the register has no value. */
  read(name: string, signal: AbortSignal): Promise<string | undefined>
  /**
   * Replaces the value of a register by `to` if it equals `from`, in one atomic step.
   * @param from The value that `read` returned. Undefined: swap only if the register has no value.
   * @returns Whether the value was replaced. False means that the register had another value and was not changed.
   */
  swap(name: string, from: string | undefined, to: string, signal: AbortSignal): Promise<boolean>
}
