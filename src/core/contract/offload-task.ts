/**
 * Work of a batch that a worker thread may do in place of the event loop. If no thread completes it, for whatever reason, the event loop
 * does the work itself. Errors are therefore always thrown by the event loop.
 */
import type { Work } from './tx.ts'

/** Sends items of one kind to worker threads, many items per message. */
export interface WorkerClient {
  /** The maximum number of unanswered messages per batch. */
  readonly maxMessages: number
  /** The minimum amount of work that is worth a message. */
  readonly minMicroseconds: number
  /**
   * Resolves with the results of the thread, one per item; undefined for an item that the thread could not process. Resolves with undefined
   * if no thread answered. Never rejects.
   */
  run(errands: readonly OffloadTask<unknown>[], signal: AbortSignal | undefined): Promise<readonly unknown[] | undefined>
}

/** One item of a batch. A worker client adds the data that its thread needs. */
export interface OffloadTask<T> {
  readonly worker: WorkerClient
  /** Converts the result of the thread to the result of the item. */
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
