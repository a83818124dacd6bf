/**
 * Work of a batch that a worker thread may do in place of the event loop. If no thread completes the work, for whatever reason, the event
 * loop does it. So errors are always thrown by the event loop.
 */
import type { Work } from './tx.ts'

/** Sends items that need the same kind of work to worker threads, many items per message. */
export interface WorkerClient {
  /** The maximum number of unanswered messages per batch. */
  readonly maxMessages: number
  /** The minimum amount of work for which a message is sent. */
  readonly minMicroseconds: number
  /**
   * Resolves with one result per item; undefined for an item that the thread could not process. Resolves with undefined if no thread
   * answered. Never rejects.
   */
  run(errands: readonly OffloadTask<unknown>[], signal: AbortSignal | undefined): Promise<readonly unknown[] | undefined>
}

/** The work of one item of a batch. A worker client adds the data that its thread needs. */
export interface OffloadTask<T> {
  readonly worker: WorkerClient
  /** Converts the thread's result to the result of the item. */
  readonly useResult: (made: never) => T
  /** Computes the same result on the event loop. */
  readonly local: Work<T>
}

type Carried<T> = Work<T> & { errand?: OffloadTask<T> }

/** Marks a function as work that a batch may send to a worker thread. */
export function withOffloadTask<T>(work: Work<T>, errand: OffloadTask<T>): Work<T> {
  ;(work as Carried<T>).errand = errand
  return work
}

export const offloadTaskOf = <T>(work: Work<T>): OffloadTask<T> | undefined => (work as Carried<T>).errand
