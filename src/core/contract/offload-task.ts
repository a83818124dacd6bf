/**
 * Work that a thread may do in place of the event loop. What a thread does not do, for whatever reason, is done here: so refusals are
 * made in one place.
 */
import type { Work } from './tx.ts'

/** Sends items of one kind to a thread, many in one message. */
export interface WorkerClient {
  /** How many messages may be under way for one batch. */
  readonly maxMessages: number
  /** Microseconds: less work than this is not worth a message. */
  readonly minMicroseconds: number
  /** By item what the thread made of it, undefined where it made nothing; undefined where no thread answered. Never rejects. */
  run(errands: readonly OffloadTask<unknown>[], signal: AbortSignal | undefined): Promise<readonly unknown[] | undefined>
}

/** One item. What the thread needs to know of it is between it and its crew. */
export interface OffloadTask<T> {
  readonly worker: WorkerClient
  /** The result of the item. @param made What the thread made. */
  readonly useResult: (made: never) => T
  /** The same result, made here. */
  readonly local: Work<T>
}

type Carried<T> = Work<T> & { errand?: OffloadTask<T> }

/** The work, which a batch may hand to a thread from now on. */
export function withOffloadTask<T>(work: Work<T>, errand: OffloadTask<T>): Work<T> {
  ;(work as Carried<T>).errand = errand
  return work
}

export const offloadTaskOf = <T>(work: Work<T>): OffloadTask<T> | undefined => (work as Carried<T>).errand
