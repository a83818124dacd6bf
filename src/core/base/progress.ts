/**
 * How long work tells how far it has come, and how it is ended.
 *
 * Long work gives way to the event loop, ends at `signal` between two pieces, and leaves what it did so that the same call, made again,
 * goes on from there or skips what is done.
 */

/** How far it has come. Kinds of work may tell more beside it. */
export interface Progress {
  /** Items behind it, whatever became of them: what was skipped because it was done before counts too. Never falls. */
  readonly done: number
  /** How many there are in all; absent where nobody knows without having been through them. It may be an estimate, and then change. */
  readonly total?: number
}

/** What every long work takes. */
export interface LongWorkOptions<P extends Progress = Progress> {
  /** Ends the work at its next pause: it rejects with the signal's reason. What was committed stays. */
  readonly signal?: AbortSignal
  /**
   * Told after every piece of work (a batch, a page, a commit), and so also after the last; one at a time, never with an older state.
   * What it throws ends the work as an abort does.
   */
  readonly onProgress?: (progress: P) => void
}
