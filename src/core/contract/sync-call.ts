/** Synchronous calls: methods that return results without a promise. They use records that a handle keeps in the cache. */
import type { Counter } from './counter.ts'
import type { AnyBatch } from './operation.ts'
import type { RecordKind } from './record-kind.ts'
import type { Tx } from './tx.ts'

/** The records that a handle keeps loaded, and the uses of a key version that it reserves in advance. */
export interface SyncCallPlan {
  /**
   * Reads the records that the calls need. Returns the counter from which uses are reserved in advance, or undefined if the calls count no
   * uses. Runs on cached records or in a transaction.
   */
  readonly load: (tx: Tx) => Counter | undefined
  /** When this record changes, all records are loaded again. */
  readonly trigger: { readonly kind: RecordKind<unknown>; readonly id: string }
  /** The number of uses to reserve in advance. */
  readonly reserve: number
}

export interface SyncMethod {
  readonly operation: AnyBatch
  /** Arguments that the method adds to every call, with the same values each time. */
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
  /** Checks the store for changes, loads missing records and reserves uses of the key version. @throws KernelError */
  refresh(): Promise<void>
  /** Stops the background work. Later calls throw. Idempotent. */
  close(): void
  method(method: SyncMethod): (first: unknown, options?: Readonly<Record<string, unknown>>) => unknown
}
