/** Synchronous calls: methods that return results without a promise. They use records that a handle keeps in the cache. */
import type { Counter } from './counter.ts'
import type { AnyBatch } from './operation.ts'
import type { RecordKind } from './record-kind.ts'
import type { Tx } from './tx.ts'

/** The records and counter uses that a handle keeps available. */
export interface SyncCallPlan {
  /** Reads the records, and returns the counter whose uses are reserved in advance. Runs on cached records or in a transaction. */
  readonly load: (tx: Tx) => Counter | undefined
  /** When this record changes, all records are loaded again. */
  readonly trigger: { readonly kind: RecordKind<unknown>; readonly id: string }
  /** The number of counter uses to reserve in advance. */
  readonly reserve: number
}

export interface SyncMethod {
  readonly operation: AnyBatch
  /** Arguments with a fixed value for all calls of the method. */
  readonly fixed: Readonly<Record<string, unknown>>
  /** The parameter that is passed as the first argument, separate from the options object. */
  readonly firstParameter: string
  /** Parameters that the method does not accept. */
  readonly omitted?: readonly string[]
  /** The member of the operation's result that the method returns. */
  readonly resultMember: string
}

/** In addition to the errors of the asynchronous operations, the methods throw `ERR_NOT_READY`. */
export interface SyncCallHandle {
  /** Loads the records and keeps them loaded. @throws KernelError if no call could ever succeed. */
  open(): Promise<void>
  /** Whether a call would succeed now. */
  readonly ready: boolean
  /** Checks the store for changes, loads missing records and reserves counter uses. @throws KernelError */
  refresh(): Promise<void>
  /** Stops the background work. Later calls throw. Idempotent. */
  close(): void
  method(method: SyncMethod): (first: unknown, options?: Readonly<Record<string, unknown>>) => unknown
}
