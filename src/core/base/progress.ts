/**
 * Progress and cancellation of long work.
 *
 * Long work yields to the event loop, stops at `signal` between two pieces, and keeps its results, so that a repeated call continues or
 * skips what is done.
 */

/** The progress so far. Kinds of work may add members. */
export interface Progress {
  /**
   * The number of processed items, whatever their outcome, including items that were skipped because they were already done. Never
   * decreases.
   */
  readonly done: number
  /** The number of all items; absent if it is not known before the end. It may be an estimate that changes. */
  readonly total?: number
}

/** The options of all long work. */
export interface LongWorkOptions<P extends Progress = Progress> {
  /** Ends the work at its next pause: the promise rejects with the signal's reason. What was committed remains. */
  readonly signal?: AbortSignal
  /**
   * Called after every piece of work (a batch, a page, a commit), including the last. Calls do not overlap, and no call reports less
   * progress than the one before. If it throws, the work ends as if it were aborted.
   */
  readonly onProgress?: (progress: P) => void
}
