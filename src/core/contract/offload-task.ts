/**
 * Work of a batch that a worker thread may do in place of the event loop. If no thread completes the work, for any reason, the event loop
 * does the work. An error of the work is therefore always thrown on the event loop.
 */
import type { Work } from './tx.ts'

/** Sends items that need the same kind of work to worker threads, many items per message. */
export interface WorkerClient {
  /** The maximum number of unanswered messages per batch. */
  readonly maxMessages: number
  /** The estimated work in microseconds after which a message is sent. */
  readonly messageMicroseconds: number
  /** The estimated work in microseconds below which no message is sent. */
  readonly minMicroseconds: number
  /**
   * Resolves with one result per item, which is undefined for an item that the thread could not process. If no thread answered, it resolves
   * with undefined instead of a list. Never rejects.
   */
  run(tasks: readonly OffloadTask<unknown>[], signal: AbortSignal | undefined): Promise<readonly unknown[] | undefined>
}

/** The work of one item of a batch. A worker client adds the data that its thread needs. */
export interface OffloadTask<T> {
  readonly worker: WorkerClient
  /** Converts the thread's result to the result of the item. */
  readonly useResult: (made: never) => T
  /** Computes the same result on the event loop. */
  readonly local: Work<T>
}

type Carried<T> = Work<T> & { task?: OffloadTask<T> }

/** Marks a function as work that a batch may send to a worker thread. */
export function withOffloadTask<T>(work: Work<T>, task: OffloadTask<T>): Work<T> {
  ;(work as Carried<T>).task = task
  return work
}

export const offloadTaskOf = <T>(work: Work<T>): OffloadTask<T> | undefined => (work as Carried<T>).task
