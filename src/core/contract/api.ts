/**
 * The typed view's types: one method per operation, two per batch operation, from the record the routes come from too.
 */
import type { KernelError } from '../base/errors.ts'
import type { Arguments, Fields, Result } from '../field/field.ts'
import type { OwnTransaction } from '../storage/open-transaction.ts'
import type { AnyBatch, BatchArguments, BatchOperation, Operations, SingleArguments, SingleOperation } from './operation.ts'

/** A client of PostgreSQL on which the application has begun a transaction; not a pool, whose next query may use another connection. */
export interface SqlTransaction {
  /** Runs statements in the transaction. */
  query(text: string, values?: unknown[]): Promise<unknown>
  /** A pool has this member. */
  readonly totalCount?: undefined
}

/** Transactions for the option `transaction`, by kind of storage. A storage of your own adds its transactions by declaration merging. */
export interface OpenTransactions {
  /** A transaction that `begin()` of a storage returned. */
  readonly begun: OwnTransaction
  readonly sql: SqlTransaction
}

export interface CallOptions {
  /** Ends long work at its next pause: the promise rejects with the signal's reason. Committed parts stay. */
  readonly signal?: AbortSignal
  /**
   * An open transaction of the application on the same store, such as `memoryStorage().begin()`. The write becomes part of it and takes
   * effect with it or not at all; until it commits, the kernel and everybody else see the old state. Writes without batches only.
   */
  readonly transaction?: OpenTransactions[keyof OpenTransactions]
  /**
   * The address of the person or service the call is made for, which a login is judged by where its role is bound to networks. Without
   * it such a login is refused. Views made by `as(token)` have their own.
   */
  readonly remoteAddress?: string
}

/** The kernel's remarks on a successful call. */
export interface NoResult {
  /** Sentences for people. Absent where there are none. */
  readonly warnings?: readonly string[]
}

/** A result, with the kernel's remarks on the call. */
export type Reply<R> = R & NoResult

/** An item of a batch that succeeded. */
export interface DoneItem {
  /** Undefined: the item succeeded. */
  readonly error?: undefined
  /** As it was given with the item; empty where none was. */
  readonly reference: string
}

/** An item of a batch that was refused. The other items are processed all the same. */
export interface RefusedItem {
  /** Why this item was refused: the error that a single call for it would have thrown. */
  readonly error: KernelError
  /** As it was given with the item; empty where none was. */
  readonly reference: string
}

/** The entry of a batch's result for one item. */
export type ItemReply<R> = (R & DoneItem) | RefusedItem

/** The answer to a batch. */
export interface BatchReply<R> {
  /** One for each item, in the order of the items. */
  readonly batch_results: readonly ItemReply<R>[]
}

/** The arguments of a call that takes none. */
export type NoArguments = Record<never, never>

type Answer<R extends Fields> = [keyof R] extends [never] ? NoResult : Reply<Result<R>>

type Method<O> =
  O extends BatchOperation<infer F, infer I, infer R, infer _>
    ? (args: SingleArguments<F, I>, options?: CallOptions) => Promise<Reply<Result<R>>>
    : O extends SingleOperation<infer F, infer R>
      ? Record<never, never> extends Arguments<F>
        ? (args?: Arguments<F>, options?: CallOptions) => Promise<Answer<R>>
        : (args: Arguments<F>, options?: CallOptions) => Promise<Answer<R>>
      : never

type BatchMethod<O> =
  O extends BatchOperation<infer F, infer I, infer R, infer _>
    ? (args: BatchArguments<F, I>, options?: CallOptions) => Promise<Reply<BatchReply<Result<R>>>>
    : never

/** The methods of an engine: each operation by its name, and each batch operation once more with `Batch` behind it. */
export type Api<O extends Operations> = { readonly [K in keyof O]: Method<O[K]> } & {
  readonly [K in keyof O as O[K] extends AnyBatch ? `${K & string}Batch` : never]: BatchMethod<O[K]>
}
