/**
 * Methods that answer without a promise, over records that are kept loaded.
 */
import type { Counter } from './counter.ts'
import type { AnyBatch } from './operation.ts'
import type { RecordKind } from './record-kind.ts'
import type { Tx } from './tx.ts'

/** What is kept loaded. */
export interface SyncCallPlan {
  /** Reads the records; returns the counter whose uses are to be in hand. It runs on cached records, or in a transaction. */
  readonly load: (tx: Tx) => Counter | undefined
  /** The record that all others follow from: when it changes they are loaded anew. */
  readonly trigger: { readonly kind: RecordKind<unknown>; readonly id: string }
  /** Uses of the counter that are reserved ahead. */
  readonly reserve: number
}

export interface SyncMethod {
  readonly operation: AnyBatch
  /** Parameters that are the same in all calls, as an application would give them. */
  readonly fixed: Readonly<Record<string, unknown>>
  /** The parameter that comes first, by itself. */
  readonly firstParameter: string
  /** Parameters that it does not take. */
  readonly omitted?: readonly string[]
  /** The member of the result that it returns. */
  readonly resultMember: string
}

/** Its methods throw what those of the operations reject with, or `ERR_NOT_READY`. */
export interface SyncCallHandle {
  /** Loads the records, and keeps them loaded from then on. @throws KernelError where calls could never be answered */
  open(): Promise<void>
  /** Whether a call would be answered now. */
  readonly ready: boolean
  /** Looks at the store, loads what is missing, reserves. @throws KernelError */
  refresh(): Promise<void>
  /** Ends the work in the background; calls are refused from then on. Idempotent. */
  close(): void
  method(method: SyncMethod): (first: unknown, options?: Readonly<Record<string, unknown>>) => unknown
}
