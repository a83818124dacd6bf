/** The port to worker threads. */

/** Worker threads for long computations: `nodeWorkers(n)` of `strongroom/workers/node`. Several kernels may share them. */
export interface WorkersPort {
  /** The number of threads. */
  readonly size: number
  /** Called once by each kernel that uses the threads. */
  open(): WorkersLease
}

/** One kernel's use of the threads. */
export interface WorkersLease {
  readonly size: number
  /**
   * Work whose estimate is below this number of microseconds should not be sent to a thread, because sending it would take longer than
   * doing it.
   */
  readonly least: number
  /**
   * Runs an order on a thread. An order is data that the structured clone algorithm can copy. It may contain a `SharedArrayBuffer`.
   * @param transfer Buffers of the order that are transferred instead of copied.
   * @param signal Abort it when the result is no longer needed.
   * @returns The result of the thread, or undefined if the thread did not complete the order, for any reason. Never rejects.
   */
  run(order: object, transfer: readonly ArrayBuffer[], signal?: AbortSignal): Promise<unknown>
  /**
   * Stops using the threads. The promises of running orders resolve with undefined. Idempotent; resolves when no thread works for this
   * kernel any more.
   */
  close(): Promise<void>
}
