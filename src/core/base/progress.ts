/**
 * Progress and cancellation of long work.
 *
 * Long work yields to the event loop, stops between two pieces if `signal` is aborted, and keeps its results. A repeated call therefore
 * continues where the earlier call stopped, or skips items that are done.
 */

/** The progress so far. Kinds of work may add members. */
export interface Progress {
  /**
   * The number of processed items, with or without success, including items that were skipped because they were already done. Never
   * decreases.
   */
  readonly done: number
  /** The number of all items; absent if it is not known before the end. It may be an estimate that changes. */
  readonly total?: number
}

/** The options of all long work. */
export interface LongWorkOptions<P extends Progress = Progress> {
  /** Aborting it ends the work at its next pause: the promise rejects with the signal's reason. Committed changes remain. */
  readonly signal?: AbortSignal
  /**
   * Called after every piece of work (a batch, a page, a commit), including the last piece. Calls do not overlap, and the reported progress
   * never decreases. If the function throws, the work ends as if it were aborted.
   */
  readonly onProgress?: (progress: P) => void
}
