/**
 * One definition per operation: typed method, route, parsing, help and redaction all come from it.
 */
import type { Arguments, Fields, Parsed, Result } from '../field/field.ts'
import type { PathParam } from '../field/path-pattern.ts'
import type { Effect, Prepared } from './effect.ts'
import type { Tx, Work } from './tx.ts'
import type { WireReply } from './wire-reply.ts'

/** PUT is POST, and GET with `list=true` is LIST, before an operation is looked for. */
export type Verb = 'GET' | 'POST' | 'DELETE' | 'LIST' | 'PATCH' | 'HEAD'

/** What a kind of operation is to whoever runs it. */
interface KindRules {
  /** The records it may write: none, some where it finds that it has to, or some in any case. */
  readonly access: 'read' | 'upsert' | 'write'
  /** It is tried on what is cached first, without a transaction. */
  readonly startsCached: boolean
  /** Its commit may become part of a transaction of the application's own. */
  readonly joins: boolean
  /** What it makes may be called after the request that made it, so it is told path and remote address. */
  readonly isNamed: boolean
}

/**
 * `read` never commits. `write` is one atomic commit. `upsert` runs as a read, and again as a write when it puts something. `effect` is two
 * commits with work outside between them. Whoever tells kinds apart asks this table, so that a further kind cannot be taken for one of these.
 */
export const KINDS = {
  read: { access: 'read', startsCached: true, joins: false, isNamed: false },
  upsert: { access: 'upsert', startsCached: true, joins: false, isNamed: false },
  write: { access: 'write', startsCached: false, joins: true, isNamed: true },
  effect: { access: 'write', startsCached: false, joins: false, isNamed: true },
} as const satisfies Readonly<Record<string, KindRules>>

export type Kind = keyof typeof KINDS

/** Endpoints that shares authorise and no token. */
export type Switch = 'rekey' | 'generate_root'

/** Who may ask, and where. */
interface Admission {
  /** Needs the capability `sudo` beside the ordinary one. */
  readonly sudo?: true
  /** Needs no token; a wrong one does no harm. */
  readonly unauthenticated?: true
  /** Beside `unauthenticated`: where a token is sent all the same it must be good, and the operation looks at it. */
  readonly readsToken?: true
  /** Not in a namespace other than the root. */
  readonly rootOnly?: true
  /**
   * Answers while sealed and before there is a store, too, to everybody; it may not read or write any record. `unless open`: while the kernel
   * is open it asks for a token like any other.
   */
  readonly always?: true | 'unless open'
  /** Can be switched off by `createKernel({ unauthenticated })`; then there is no such path. */
  readonly switched?: Switch
  /** Switched off, in this kernel. */
  readonly gone?: true
  /** Nothing that is listed: a LIST is an unsupported verb there, and not an unsupported path. */
  readonly neverListed?: true
  /**
   * Runs in the namespace of the token that asks, of the one that the parameter `token` names, or of the lease that `lease_id` names,
   * wherever it is asked; `wrapping`: in that of the token that asks where it is a wrapping token.
   */
  readonly follows?: 'caller' | 'named' | 'lease' | 'wrapping'
  /** Refuses before it is asked who the caller is: what is wrong with the parameters is no secret. */
  readonly judgesFirst?: (tx: Tx, input: Readonly<Record<string, string | undefined>>) => void
  /**
   * Whether what a write is about is there already: it then asks for `update`, else for `create`. Without this a write always asks for
   * `update`. Runs before the caller is judged, and again inside the transaction.
   */
  readonly exists?: (tx: Tx, captures: Readonly<Record<string, string>>) => boolean
}

interface Common<F extends Fields> extends Admission {
  readonly kind: Kind
  readonly verb: Verb
  /** Below the mount, such as `/keys/:name/config` or `/sign/:name(/:hash_algorithm)`. */
  readonly path: string
  readonly summary: string
  readonly fields: F
}

/**
 * `run` is synchronous and may run more than once: what it reads through `tx` is loaded by the request layer, which then runs it
 * again, and a commit that met a conflict runs it again as well. It has no effect but through `tx`. Returning undefined means there
 * is nothing to say (204), or for a read that the thing is not there (404).
 */
export interface SingleOperation<F extends Fields, R extends Fields> extends Common<F> {
  readonly batch: false
  readonly returns: R
  /** The field that takes the whole body as it was sent, whatever its members are called. */
  readonly body?: keyof F & string
  /** The field, an object, that takes what is sent and no other field takes, beside members of its own. */
  readonly rest?: keyof F & string
  /** How the result looks on the wire; by default its fields are `data`. */
  readonly wire?: (result: Result<R>) => WireReply
  readonly run: (tx: Tx, input: Parsed<F>) => Result<R> | undefined
  /**
   * In the place of `run`, for what is done to the kernel itself and not to records: it runs once, outside of transactions, in any state of the
   * kernel where the operation is marked `always`. What it commits, it commits itself.
   */
  readonly control?: (asked: Asked, input: Parsed<F>) => Promise<Result<R> | undefined>
  /** In the place of `run`, for what is done outside of the store. */
  readonly outside?: OutsideWork<F, R>
}

export interface OutsideWork<F extends Fields, R extends Fields> {
  // biome-ignore lint/suspicious/noExplicitAny: intent and outcome are the effect's own.
  readonly effect: Effect<any, any, any, Result<R> | undefined>
  /** In the commit of the intent: holds every refusal that can be known before. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly prepare: (tx: Tx, input: Parsed<F>) => Prepared<any, any>
}

/** Whose kernel it is, and who asks. */
export type Asked = Pick<Tx, 'env' | 'call' | 'now'>

/**
 * What a batch's items are decoded like: strict fails the request on a wrong JSON type, loose turns numbers and booleans into text and
 * null into {}, texts does so with numbers only and fails the request on all else.
 */
export type ItemTypes = 'strict' | 'loose' | 'texts'

/**
 * An operation on one item or on many. `open` looks at the request as a whole, once per run. `admit` holds every refusal for one item
 * and runs inside the transaction; what it returns is the cryptography, which runs after the commit, in slices.
 */
export interface BatchOperation<F extends Fields, I extends Fields, R extends Fields, S> extends Common<F> {
  readonly batch: true
  /** The fields of an item; a single call has them at top level, beside `fields`. */
  readonly item: I
  readonly itemTypes: ItemTypes
  /** Item members without which a batch is refused as a whole. */
  readonly itemNeeds: readonly (keyof I & string)[]
  readonly returns: R
  /** Whether failed items decide the status of the whole request, or it is always 200. */
  readonly failedItems: 'counted' | 'ignored'
  /** What a failed item shows on the wire beside `error` and `reference`. */
  readonly failedItem: Readonly<Record<string, unknown>>
  /** Results that have another name inside a batch on the wire, as the originals' clients know them. */
  readonly renamed?: Readonly<Record<string, string>>
  /** What the work of one item takes, estimated in microseconds, so that a batch gives way in time. */
  readonly cost: (state: S) => number
  readonly open: (tx: Tx, input: Parsed<F>, items: Items<I>) => S
  readonly admit: (state: S, item: Parsed<I>) => Work<Result<R>>
}

/** The items of a request, decoded or refused, in order. Only to be looked at while `open` runs. */
export interface Items<I extends Fields> {
  /** A single call has exactly one item and was not a batch. */
  readonly batch: boolean
  readonly all: readonly (Parsed<I> | Error)[]
  /** Whether the item at `index` was sent with a `member` that is not empty, also where it was refused. */
  readonly gives: (index: number, member: keyof I & string) => boolean
}

export const operation = <const P extends string, F extends Fields & Readonly<Record<PathParam<P>, unknown>>, R extends Fields>(
  definition: Omit<SingleOperation<F, R>, 'batch'> & { readonly path: P },
): SingleOperation<F, R> => ({ ...definition, batch: false })

/** An operation on the kernel itself. */
export const controlOperation = <
  const P extends string,
  F extends Fields & Readonly<Record<PathParam<P>, unknown>>,
  R extends Fields,
>(
  definition: Omit<SingleOperation<F, R>, 'batch' | 'run'> & { readonly path: P } & Required<
      Pick<SingleOperation<F, R>, 'control'>
    >,
): SingleOperation<F, R> => ({ ...definition, batch: false, run: NOT_IN_A_TRANSACTION })

/** An operation on something outside of the store. */
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
  ...definition
}: Omit<SingleOperation<F, R>, 'batch' | 'run' | 'kind' | 'control' | 'outside'> & {
  readonly path: P
  readonly effect: Effect<I, C, O, Result<R> | undefined>
  readonly prepare: (tx: Tx, input: Parsed<F>) => Prepared<I, C>
}): SingleOperation<F, R> => ({
  ...definition,
  kind: 'effect',
  batch: false,
  run: NOT_IN_A_TRANSACTION,
  outside: { effect, prepare },
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

// biome-ignore lint/suspicious/noExplicitAny: the existential type of an operation in an engine's record.
export type AnySingle = SingleOperation<any, any>
// biome-ignore lint/suspicious/noExplicitAny: the existential type of a batch operation in an engine's record.
export type AnyBatch = BatchOperation<any, any, any, any>
export type AnyOperation = AnySingle | AnyBatch
export type Operations = Readonly<Record<string, AnyOperation>>

/** Arguments of a single call of a batch operation. */
export type SingleArguments<F extends Fields, I extends Fields> = Arguments<F> & Arguments<I>
/** Arguments of its batch form. */
export type BatchArguments<F extends Fields, I extends Fields> = Arguments<F> & {
  /** At least one item. Results come in the same order. Leave a list of thousands as it is until the promise settles. */
  readonly batch_input: readonly (Arguments<I> & { /** Comes back with the item's result. */ readonly reference?: string })[]
}
