/**
 * The port to threads that compute beside the event loop.
 */

/** Threads for what would hold the event loop: `nodeWorkers(n)` of `strongroom/workers/node`. Several kernels may share them. */
export interface WorkersPort {
  /** How many threads there are. */
  readonly size: number
  /** A kernel begins to use the threads. */
  open(): WorkersLease
}

/** The threads as one kernel uses them. */
export interface WorkersLease {
  readonly size: number
  /** Estimated work in microseconds from which an order is worth its way there and back. */
  readonly least: number
  /**
   * Has a thread carry out an order: data that can be cloned, in which buffers may be shared.
   * @param transfer Buffers of the order that are moved instead of copied.
   * @param signal The result is not wanted any more when it is aborted.
   * @returns What the thread answered. Undefined where it did not, whatever the reason; never rejects.
   */
  run(order: object, transfer: readonly ArrayBuffer[], signal?: AbortSignal): Promise<unknown>
  /** The kernel uses the threads no more: orders under way come to undefined. Idempotent; resolves when no thread works for it. */
  close(): Promise<void>
}
