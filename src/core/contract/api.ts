/** Types of the facade methods: one method for each operation and two for each batch operation, derived from the operation definitions. */
import type { KernelError } from '../base/errors.ts'
import type { Arguments, Fields, Result } from '../field/field.ts'
import type { JoinableTransaction } from '../storage/buffered-transaction.ts'
import type { AnyBatch, BatchArguments, BatchOperation, Operations, SingleArguments, SingleOperation } from './operation.ts'

/**
 * A PostgreSQL client on which the application has begun a transaction. A pool does not work: it may run the next query on another
 * connection.
 */
export interface SqlTransaction {
  /** Runs statements in the transaction. */
  query(text: string, values?: unknown[]): Promise<unknown>
  /** Only pools have this member, so a pool is a type error. */
  readonly totalCount?: undefined
}

/** Transactions for the option `transaction`, by kind of storage. Add the transactions of your own storage by declaration merging. */
export interface OpenTransactions {
  /** A transaction that `begin()` of a storage returned. */
  readonly begun: JoinableTransaction
  readonly sql: SqlTransaction
}

export interface CallOptions {
  /** Stops long work at its next pause: the promise rejects with the signal's reason. Changes that are already committed remain. */
  readonly signal?: AbortSignal
  /**
   * An open transaction of the application on the same store, such as `memoryStorage().begin()`. The write becomes part of that
   * transaction, so it takes effect only if the application commits the transaction. Until the commit, the kernel and all other readers see
   * the old state. Only for writes that are not batches.
   */
  readonly transaction?: OpenTransactions[keyof OpenTransactions]
  /**
   * The address of the client that this call is made for. If the role of a login is bound to networks, the login is refused unless this
   * address is in one of the networks. For views, `as(token)` receives the address instead.
   */
  readonly remoteAddress?: string
}

/** The members that the result of every call can have, even if the operation itself has no result. */
export interface NoResult {
  /** Sentences for people. Absent if there are none. */
  readonly warnings?: readonly string[]
}

/** A result, with the warnings about the call. */
export type Reply<R> = R & NoResult

/** An item of a batch that succeeded. */
export interface DoneItem {
  /** Always undefined, because the item succeeded. */
  readonly error?: undefined
  /** The item's `reference`; empty if it had none. */
  readonly reference: string
}

/** An item of a batch that was refused. The other items are processed nevertheless. */
export interface RefusedItem {
  /** Why this item was refused: the error that a single call for it would have thrown. */
  readonly error: KernelError
  /** The item's `reference`; empty if it had none. */
  readonly reference: string
}

/** The entry of a batch's result for one item. */
export type ItemReply<R> = (R & DoneItem) | RefusedItem

/** The answer to a batch. */
export interface BatchReply<R> {
  /** One result for each item, in the order of the items. */
  readonly batch_results: readonly ItemReply<R>[]
}

/** The arguments of a method without parameters. */
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

/** The methods of an engine: one for each operation, and for each batch operation a second one whose name ends in `Batch`. */
export type Api<O extends Operations> = { readonly [K in keyof O]: Method<O[K]> } & {
  readonly [K in keyof O as O[K] extends AnyBatch ? `${K & string}Batch` : never]: BatchMethod<O[K]>
}
