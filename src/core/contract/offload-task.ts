/**
 * Batch work that a worker thread may do instead of the event loop. If a thread does not do it, for whatever reason, the event loop does:
 * so all errors are thrown in one place.
 */
import type { Work } from './tx.ts'

/** Sends items of one kind to worker threads, many per message. */
export interface WorkerClient {
  /** How many messages of one batch may be in flight. */
  readonly maxMessages: number
  /** Less work than this is not worth a message. */
  readonly minMicroseconds: number
  /**
   * The thread's result of each item, undefined for items it could not process. Resolves undefined if no thread answered; never rejects.
   */
  run(errands: readonly OffloadTask<unknown>[], signal: AbortSignal | undefined): Promise<readonly unknown[] | undefined>
}

/** One item of a batch. A worker client adds what its thread needs. */
export interface OffloadTask<T> {
  readonly worker: WorkerClient
  /** Makes the item's result from the thread's result. */
  readonly useResult: (made: never) => T
  /** Computes the same result on the event loop. */
  readonly local: Work<T>
}

type Carried<T> = Work<T> & { errand?: OffloadTask<T> }

/** Marks work as something that a batch may give to a worker thread. */
export function withOffloadTask<T>(work: Work<T>, errand: OffloadTask<T>): Work<T> {
  ;(work as Carried<T>).errand = errand
  return work
}

export const offloadTaskOf = <T>(work: Work<T>): OffloadTask<T> | undefined => (work as Carried<T>).errand
