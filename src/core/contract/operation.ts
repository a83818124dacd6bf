/**
 * One definition per operation: typed method, route, parsing, help and redaction all come from it.
 */
import type { Arguments, Fields, Parsed, Result } from '../field/field.ts'
import type { PathParam } from '../field/path-pattern.ts'
import type { Effect, ImmediateAnswer, PreparedEffect } from './effect.ts'
import type { Tx, Work } from './tx.ts'
import type { WireReply } from './wire-reply.ts'

/**
 * For the secrets service PUT becomes POST, and GET with `list=true` becomes LIST, before an operation is looked up. For the configuration
 * service PUT and POST are two verbs, and nothing is listed by a verb.
 */
export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'LIST' | 'PATCH' | 'HEAD'

/** How a kind of operation is run. */
interface KindRules {
  /** Whether it writes records: never, only where the run turns out to need it, or always. */
  readonly access: 'read' | 'upsert' | 'write'
  /** It is first tried on cached records, without a transaction. */
  readonly startsCached: boolean
  /** Its commit may join a transaction of the application. */
  readonly joinsTransaction: boolean
  /** What it makes may be named after its request, so it is told path and remote address. */
  readonly seesRequest: boolean
}

/**
 * `read` never commits. `write` is one atomic commit. `upsert` runs as a read, and again as a write when it puts something. `effect` is two
 * commits with work outside between them. Code that distinguishes kinds reads this table, so that a new kind cannot be mistaken for one of
 * these.
 */
export const OPERATION_KINDS = {
  read: { access: 'read', startsCached: true, joinsTransaction: false, seesRequest: false },
  upsert: { access: 'upsert', startsCached: true, joinsTransaction: false, seesRequest: false },
  write: { access: 'write', startsCached: false, joinsTransaction: true, seesRequest: true },
  effect: { access: 'write', startsCached: false, joinsTransaction: false, seesRequest: true },
} as const satisfies Readonly<Record<string, KindRules>>

export type OperationKind = keyof typeof OPERATION_KINDS

/** Endpoints authorised by shares instead of a token. */
export type SwitchableEndpoint = 'rekey' | 'generateRoot'

/** Who may call the operation, and where. */
interface AdmissionRules {
  /** Needs the capability `sudo` beside the ordinary one. */
  readonly sudo?: true
  /** Needs no token; an invalid one does no harm. */
  readonly unauthenticated?: true
  /**
   * With `unauthenticated`: a token that is sent all the same must be valid, and the operation examines it. `if valid`: with any other token the
   * caller is anonymous.
   */
  readonly readsToken?: true | 'if valid'
  /** Is refused in namespaces other than the root. */
  readonly rootOnly?: true
  /**
   * Also answers while sealed and before there is a store, to everybody; it may not read or write any record. `unless open`: while the
   * kernel is open it asks for a token like any other.
   */
  readonly inAnyState?: true | 'unless open'
  /** Can be switched off by `createKernel({ unauthenticated })`; the path then does not exist. */
  readonly switched?: SwitchableEndpoint
  /** A secondary for disaster recovery serves it, too. */
  readonly onDrSecondary?: true
  /** Answers also while the cluster is becoming a secondary and has no records; it needs no token then. */
  readonly whileJoining?: true
  /**
   * A performance secondary may have its primary run it: it writes replicated records of the mount and the namespace it is called in,
   * and does nothing with tokens, leases, shares or the cluster itself. A primary refuses every other operation of a secondary.
   */
  readonly forwardable?: true
  /** Is switched off in this kernel. */
  readonly disabled?: true
  /** At its path there is nothing else, for other verbs neither, although patterns with captures match the path, too. */
  readonly exclusive?: true
  /** Cannot be listed: a LIST is an unsupported verb here, and not an unsupported path. */
  readonly neverListed?: true
  /**
   * The namespace it runs in, wherever it is called: that of the caller's token, that of the token in the parameter `token`, or that
   * of the lease in `lease_id`. `wrapping`: that of the caller's token where it is a wrapping token.
   */
  readonly runsInNamespaceOf?: 'caller' | 'named' | 'lease' | 'wrapping'
  /** Judges who asks by what was sent, before the rest of it is looked at. */
  readonly authorizes?: (asked: OperationContext, sent: Readonly<Record<string, unknown>>) => Promise<unknown>
  /** Refuses invalid parameters before the caller is judged: such errors are no secret. */
  readonly validatesFirst?: (tx: Tx, input: Readonly<Record<string, string | undefined>>) => void
  /**
   * Whether the record that a write is about exists: the write then asks for `update`, otherwise for `create`. Without this a write
   * always asks for `update`. Runs before the caller is judged, and again inside the transaction.
   */
  readonly exists?: (tx: Tx, captures: Readonly<Record<string, string>>) => boolean
  /**
   * Other paths of what it acts on, below the same mount and with the same captures: the paths of earlier releases. A policy that denies one
   * of them denies all. One that ends in a slash is that of a list.
   */
  readonly aliasPaths?: readonly string[]
  /** Other names for one segment of the path. */
  readonly segmentAliases?: SegmentAliases
}

/**
 * Other names for a segment. Requests may use them; the path has the segment's own name before it is authorized and recorded. A policy may use
 * either name.
 */
export interface SegmentAliases {
  /** The path in front of the segment, below the mount, with a slash at its end and none at its start. */
  readonly after: string
  /** The own name by each other name. */
  readonly aliases: Readonly<Record<string, string>>
}

interface Common<F extends Fields> extends AdmissionRules {
  readonly kind: OperationKind
  readonly verb: Verb
  /** Relative to the mount, such as `/keys/:name/config` or `/sign/:name(/:hash_algorithm)`. */
  readonly path: string
  readonly summary: string
  readonly fields: F
}

/**
 * `run` is synchronous and may run more than once: the request layer loads what it reads through `tx` and runs it again, and so
 * does a commit that met a conflict. It acts only through `tx`. Returning undefined means an empty answer (204), or for a read that
 * the record does not exist (404).
 */
export interface SingleOperation<F extends Fields, R extends Fields> extends Common<F> {
  readonly batch: false
  readonly returns: R
  /** The field that takes the whole body as it was sent, whatever its members are called. */
  readonly body?: keyof F & string
  /** An object field that takes all members sent that belong to no other field, beside its own. */
  readonly rest?: keyof F & string
  /** The wire form of the result; by default its fields are `data`. */
  readonly wire?: (result: Result<R>) => WireReply
  readonly run: (tx: Tx, input: Parsed<F>) => Result<R> | undefined
  /**
   * Replaces `run` for operations on the kernel itself instead of records: it runs once, outside of transactions, in any state of the
   * kernel where the operation is marked `always`. It makes its commits itself.
   */
  readonly control?: (asked: OperationContext, input: Parsed<F>) => Promise<Result<R> | undefined>
  /** Replaces `run` for operations that act outside the store. */
  readonly effectWork?: EffectWork<F, R>
}

export interface EffectWork<F extends Fields, R extends Fields> {
  // biome-ignore lint/suspicious/noExplicitAny: intent and outcome are the effect's own.
  readonly effect: Effect<any, any, any, Result<R> | undefined>
  /** Runs in the commit of the intent, or of the answer: makes every refusal that can be known in advance. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly prepare: (tx: Tx, input: Parsed<F>) => PreparedEffect<any, any> | ImmediateAnswer<Result<R> | undefined>
  /** Runs behind the last commit, before the result is handed out. Its time is part of no deadline; what it throws is ignored. */
  readonly beforeAnswer?: ((asked: OperationContext, result: Result<R>) => Promise<void>) | undefined
}

/** The kernel's environment, the caller, and a way to say more than the result does. */
export type OperationContext = Pick<Tx, 'env' | 'call' | 'now' | 'warn'>

/**
 * How the items of a batch are decoded. `strict` fails the request on a wrong JSON type; `loose` turns numbers and booleans into text
 * and null into {}; `texts` does so with numbers only and fails the request on all else.
 */
export type ItemTypes = 'strict' | 'loose' | 'texts'

/**
 * An operation on one item or on many. `open` examines the request as a whole, once per run. `admit` makes every refusal for one item
 * and runs inside the transaction; it returns the cryptography, which runs after the commit, in slices.
 */
export interface BatchOperation<F extends Fields, I extends Fields, R extends Fields, S> extends Common<F> {
  readonly batch: true
  /** The fields of an item; a single call has them at top level, beside `fields`. */
  readonly item: I
  readonly itemTypes: ItemTypes
  /** Item members that must be present, or the whole batch is refused. */
  readonly itemNeeds: readonly (keyof I & string)[]
  readonly returns: R
  /** Whether failed items decide the status of the whole request, or it is always 200. */
  readonly failedItems: 'counted' | 'ignored'
  /** The members of a failed item on the wire, beside `error` and `reference`. */
  readonly failedItem: Readonly<Record<string, unknown>>
  /** Results that have a different name inside a batch on the wire, as the originals' clients expect. */
  readonly renamed?: Readonly<Record<string, string>>
  /** The estimated cost of one item in microseconds, so that a batch gives way in time. */
  readonly cost: (state: S) => number
  readonly open: (tx: Tx, input: Parsed<F>, items: Items<I>) => S
  readonly admit: (state: S, item: Parsed<I>) => Work<Result<R>>
}

/** The items of a request, decoded or refused, in order. They may be read only while `open` runs. */
export interface Items<I extends Fields> {
  /** False for a single call, which has exactly one item. */
  readonly batch: boolean
  readonly all: readonly (Parsed<I> | Error)[]
  /** Whether a non-empty `member` was sent for the item at `index`, even if the item was refused. */
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

/** Defines an operation that acts outside the store. */
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
}: Omit<SingleOperation<F, R>, 'batch' | 'run' | 'kind' | 'control' | 'outside'> & {
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

// biome-ignore lint/suspicious/noExplicitAny: the existential type of an operation in an engine's record.
export type AnySingle = SingleOperation<any, any>
// biome-ignore lint/suspicious/noExplicitAny: the existential type of a batch operation in an engine's record.
export type AnyBatch = BatchOperation<any, any, any, any>
export type AnyOperation = AnySingle | AnyBatch
export type Operations = Readonly<Record<string, AnyOperation>>

/** The arguments of a single call of a batch operation. */
export type SingleArguments<F extends Fields, I extends Fields> = Arguments<F> & Arguments<I>
/** The arguments of its batch form. */
export type BatchArguments<F extends Fields, I extends Fields> = Arguments<F> & {
  /** At least one item. Results come in the same order. Do not change a list of thousands until the promise settles. */
  readonly batch_input: readonly (Arguments<I> & { /** Comes back with the item's result. */ readonly reference?: string })[]
}
