/** The definition of an operation. Its typed method, route, parsing, help and redaction are all derived from the definition. */
import type { Arguments, Fields, Parsed, Result } from '../field/field.ts'
import type { PathParam } from '../field/path-pattern.ts'
import type { AdmissionRules } from './admission-rules.ts'
import type { Effect, ImmediateAnswer, PreparedEffect } from './effect.ts'
import type { OperationContext } from './operation-context.ts'
import type { Tx, Work } from './tx.ts'
import type { WireReply } from './wire-reply.ts'

/**
 * In the kernel, PUT is treated as POST, and GET with `list=true` as LIST, before an operation is looked up. In the configuration service,
 * PUT and POST are different verbs and there is no LIST.
 */
export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'LIST' | 'PATCH' | 'HEAD'

/** The rules by which all operations of one kind run. */
interface KindRules {
  /** Whether the operation writes records. `read`: never. `upsert`: only if it calls `put`. `write`: always. */
  readonly access: 'read' | 'upsert' | 'write'
  /** Whether the operation first runs on cached records, without a transaction. */
  readonly startsCached: boolean
  /** Whether the operation's commit may join a transaction of the application. */
  readonly joinsTransaction: boolean
  /**
   * Whether the operation receives the path and remote address of the request, because the names of records that it creates may contain
   * them.
   */
  readonly seesRequest: boolean
}

/**
 * `read` never commits. `write` is one atomic commit. `upsert` runs as a read, and again as a write if it puts something. `effect` is two
 * commits with outside work between them. Code that distinguishes the kinds reads this table, so add a new kind of operation here.
 */
export const OPERATION_KINDS = {
  read: { access: 'read', startsCached: true, joinsTransaction: false, seesRequest: false },
  upsert: { access: 'upsert', startsCached: true, joinsTransaction: false, seesRequest: false },
  write: { access: 'write', startsCached: false, joinsTransaction: true, seesRequest: true },
  effect: { access: 'write', startsCached: false, joinsTransaction: false, seesRequest: true },
} as const satisfies Readonly<Record<string, KindRules>>

export type OperationKind = keyof typeof OPERATION_KINDS

interface Common<F extends Fields> extends AdmissionRules {
  readonly kind: OperationKind
  readonly verb: Verb
  /** The path of the operation, relative to the mount, such as `/keys/:name/config` or `/sign/:name(/:hash_algorithm)`. */
  readonly path: string
  readonly summary: string
  readonly fields: F
}

/**
 * `run` is synchronous. It runs again after a record that it reads was loaded, and after a conflict, so it must have no effects except
 * through `tx`. If it returns undefined, the response has status 404 for a read, and status 204 (no content) otherwise.
 */
export interface SingleOperation<F extends Fields, R extends Fields> extends Common<F> {
  readonly batch: false
  readonly returns: R
  /** The field that receives the entire body, whatever its members are. */
  readonly body?: keyof F & string
  /** An object field that receives, in addition to its own value, all members of the body that belong to no other field. */
  readonly rest?: keyof F & string
  /** Builds the response to a call by path from the result. By default, the fields of the result become `data`. */
  readonly wire?: (result: Result<R>) => WireReply
  readonly run: (tx: Tx, input: Parsed<F>) => Result<R> | undefined
  /**
   * Replaces `run` for operations on the kernel itself. It runs once, outside of transactions, and makes its own commits. If the operation
   * is marked `inAnyState`, it also runs while the kernel is sealed or not initialized.
   */
  readonly control?: (asked: OperationContext, input: Parsed<F>) => Promise<Result<R> | undefined>
  /** Replaces `run` for operations with outside work. */
  readonly effectWork?: EffectWork<F, R>
}

export interface EffectWork<F extends Fields, R extends Fields> {
  // biome-ignore lint/suspicious/noExplicitAny: only the effect itself uses the types of its intent and outcome.
  readonly effect: Effect<any, any, any, Result<R> | undefined>
  /**
   * Runs in the commit of the intent, or in the commit of an immediate result. If the request can be refused without the outside call, it
   * must be refused here.
   */
  // biome-ignore lint/suspicious/noExplicitAny: only the effect itself uses the type of its intent.
  readonly prepare: (tx: Tx, input: Parsed<F>) => PreparedEffect<any, any> | ImmediateAnswer<Result<R> | undefined>
  /** Runs after the last commit, before the result is returned. It has no time limit, and its errors are ignored. */
  readonly beforeAnswer?: ((asked: OperationContext, result: Result<R>) => Promise<void>) | undefined
}

/**
 * How batch items are decoded. `strict`: an item with a wrong JSON type fails the request. `loose`: numbers and booleans are converted to
 * strings, and null to {}. `texts`: numbers are converted to strings; any other wrong type fails the request.
 */
export type ItemTypes = 'strict' | 'loose' | 'texts'

/**
 * An operation on one item or on many. `open` validates the request as a whole, each time the transaction runs. `admit` runs inside the
 * transaction for each item; it validates and authorizes the item and returns the item's cryptographic work. That work runs after the
 * commit, with pauses for the event loop.
 */
export interface BatchOperation<F extends Fields, I extends Fields, R extends Fields, S> extends Common<F> {
  readonly batch: true
  /** The fields of an item. A single call has them at the top level, next to `fields`. */
  readonly item: I
  readonly itemTypes: ItemTypes
  /** Members that every item must have; otherwise the whole batch is refused. */
  readonly itemNeeds: readonly (keyof I & string)[]
  readonly returns: R
  /** `counted`: failed items change the status of the response. `ignored`: the status is 200 even if items fail. */
  readonly failedItems: 'counted' | 'ignored'
  /** Additional members of the result of a failed item in calls by path, next to `error` and `reference`. */
  readonly failedItem: Readonly<Record<string, unknown>>
  /** Maps result fields to the names that they have in the batch results of calls by path, because Vault's clients expect those names. */
  readonly renamed?: Readonly<Record<string, string>>
  /** The estimated cost of one item in microseconds. The batch uses it to decide when to yield to the event loop. */
  readonly cost: (state: S) => number
  readonly open: (tx: Tx, input: Parsed<F>, items: Items<I>) => S
  readonly admit: (state: S, item: Parsed<I>) => Work<Result<R>>
}

/**
 * The items of a request, in order: the decoded item, or an error if the item was refused. Only `open` may use this object, and only until
 * it returns.
 */
export interface Items<I extends Fields> {
  /** Whether the request is a batch. False for a single call, which has exactly one item. */
  readonly batch: boolean
  readonly all: readonly (Parsed<I> | Error)[]
  /** Whether the item at `index` contained a non-empty `member`, even if the item itself was refused. */
  readonly gives: (index: number, member: keyof I & string) => boolean
}

export const operation = <const P extends string, F extends Fields & Readonly<Record<PathParam<P>, unknown>>, R extends Fields>(
  definition: Omit<SingleOperation<F, R>, 'batch'> & { readonly path: P },
): SingleOperation<F, R> => ({ ...definition, batch: false })

/** Defines an operation on the kernel itself. */
export const controlOperation = <
  const P extends string,
  F extends Fields & Readonly<Record<PathParam<P>, unknown>>,
  R extends Fields,
>(
  definition: Omit<SingleOperation<F, R>, 'batch' | 'run'> & { readonly path: P } & Required<
      Pick<SingleOperation<F, R>, 'control'>
    >,
): SingleOperation<F, R> => ({ ...definition, batch: false, run: NOT_IN_A_TRANSACTION })

/** Defines an operation with outside work. */
export const effectOperation = <
  const P extends string,
  F extends Fields & Readonly<Record<PathParam<P>, unknown>>,
  R extends Fields,
  I,
  C,
  O,
>({
  effect,
  prepare,
  beforeAnswer,
  ...definition
}: Omit<SingleOperation<F, R>, 'batch' | 'run' | 'kind' | 'control'> & {
  readonly path: P
  readonly effect: Effect<I, C, O, Result<R> | undefined>
  readonly prepare: (tx: Tx, input: Parsed<F>) => PreparedEffect<I, C> | ImmediateAnswer<Result<R> | undefined>
  readonly beforeAnswer?: (asked: OperationContext, result: Result<R>) => Promise<void>
}): SingleOperation<F, R> => ({
  ...definition,
  kind: 'effect',
  batch: false,
  run: NOT_IN_A_TRANSACTION,
  effectWork: { effect, prepare, beforeAnswer },
})

const NOT_IN_A_TRANSACTION = (): never => {
  throw new TypeError('this operation runs outside of transactions')
}

export const batchOperation = <
  const P extends string,
  F extends Fields & Readonly<Record<PathParam<P>, unknown>>,
  I extends Fields,
  R extends Fields,
  S,
>(
  definition: Omit<BatchOperation<F, I, R, S>, 'batch'> & { readonly path: P },
): BatchOperation<F, I, R, S> => ({ ...definition, batch: true })

// biome-ignore lint/suspicious/noExplicitAny: an engine has operations of different types.
export type AnySingle = SingleOperation<any, any>
// biome-ignore lint/suspicious/noExplicitAny: an engine has batch operations of different types.
export type AnyBatch = BatchOperation<any, any, any, any>
export type AnyOperation = AnySingle | AnyBatch
export type Operations = Readonly<Record<string, AnyOperation>>

/** The arguments of a single call of a batch operation. */
export type SingleArguments<F extends Fields, I extends Fields> = Arguments<F> & Arguments<I>
/** The arguments of the batch method. */
export type BatchArguments<F extends Fields, I extends Fields> = Arguments<F> & {
  /**
   * At least one item. Results are in the order of the items. Do not modify the list until the promise settles, because a long list is
   * processed with pauses in which your code can run.
   */
  readonly batch_input: readonly (Arguments<I> & { /** Returned with the item's result. */ readonly reference?: string })[]
}
