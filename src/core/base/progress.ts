/**
 * How long work reports its progress, and how it is ended.
 *
 * Long work gives way to the event loop, ends at `signal` between two pieces, and keeps its results, so that a repeated call continues
 * from there or skips what is done.
 */

/** The progress so far. Kinds of work may add members. */
export interface Progress {
  /** Items processed, whatever their outcome; items skipped because they were done before count too. Never falls. */
  readonly done: number
  /** The number of all items; absent where it is unknown before the end. It may be an estimate that changes. */
  readonly total?: number
}

/** The options of every long work. */
export interface LongWorkOptions<P extends Progress = Progress> {
  /** Ends the work at its next pause: it rejects with the signal's reason. Committed parts stay. */
  readonly signal?: AbortSignal
  /**
   * Called after every piece of work (a batch, a page, a commit), including the last; one call at a time, never with an older state.
   * An error ends the work as an abort does.
   */
  readonly onProgress?: (progress: P) => void
}
