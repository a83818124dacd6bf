/**
 * The typed view's types: one method per operation, two per batch operation, from the record the routes come from too.
 */
import type { KernelError } from '../base/errors.ts'
import type { Arguments, Fields, Result } from '../field/field.ts'
import type { AnyBatch, BatchArguments, BatchOperation, Operations, SingleArguments, SingleOperation } from './operation.ts'

export interface CallOptions {
  /** Ends long work at its next pause: the promise rejects with the signal's reason. What was committed stays. */
  readonly signal?: AbortSignal
  /**
   * A transaction that the application has open on the same store, such as `memoryStorage().begin()`: a write becomes part of it, and
   * takes effect with it or not at all. Until it commits, the kernel and everybody else see what was before. Writes without batches only.
   */
  readonly within?: unknown
  /**
   * The address of whoever the application makes the call for: what a login is judged by where its role is bound to networks. Without it
   * such a login is refused. Views made by `as(token)` have their own.
   */
  readonly remote_address?: string
}

/** What the kernel has to say about a call that was done. */
export interface NoResult {
  /** Sentences for people. Absent where there is nothing to say. */
  readonly warnings?: readonly string[]
}

/** A result, and what the kernel has to say about the call. */
export type Reply<R> = R & NoResult

/** An item of a batch that was done. */
export interface DoneItem {
  /** Undefined: the item was done. */
  readonly error?: undefined
  /** As it was given with the item; empty where none was. */
  readonly reference: string
}

/** An item of a batch that was refused. The others are done all the same. */
export interface RefusedItem {
  /** Why this item was refused: what the call for it alone would have thrown. */
  readonly error: KernelError
  /** As it was given with the item; empty where none was. */
  readonly reference: string
}

/** What stands in a batch's result at the place of one item. */
export type ItemReply<R> = (R & DoneItem) | RefusedItem

/** What a batch answers. */
export interface BatchReply<R> {
  /** One for each item, in the order of the items. */
  readonly batch_results: readonly ItemReply<R>[]
}

/** What a call with nothing to say beside its name takes. */
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
