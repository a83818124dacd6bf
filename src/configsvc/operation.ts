/** The definition of an operation: its route, typed method, parameters, permission and result. */
import type { KernelError } from '../core/base/errors.ts'
import type { Steps } from '../core/base/steps.ts'
import type { RecordKind } from '../core/contract/record-kind.ts'
import type { Arguments, Field, Fields, Parsed } from '../core/field/field.ts'
import { f } from '../core/field/fields.ts'
import type { Values } from '../core/field/parse.ts'
import type { PathParam } from '../core/field/path-pattern.ts'
import type { ConfigTx } from './call.ts'
import type { IndexedTable } from './index/counter.ts'
import type { PermissionText } from './rules/index.ts'

/** In Consul's API, PUT and POST are different verbs. */
export type ConfigVerb = 'GET' | 'PUT' | 'POST' | 'DELETE'

/** Query parameters of every operation. */
export const COMMON_PARAMETERS = {
  ns: f
    .text('The namespace; in a list, "*" means all namespaces. Default: the namespace of the token, or else "default".')
    .optional(),
  partition: f.text('The partition label for new records, unless the body names one.').optional(),
  dc: f.text('The datacenter; must be the one of this service.').optional(),
}

type Common = typeof COMMON_PARAMETERS

/**
 * `L` is the name of the member that the typed method takes as a separate first argument. Undefined if the typed method takes only an object
 * of named arguments.
 */
export interface ConfigOperation<F extends Fields, B extends Fields, A, L extends string | undefined = undefined> {
  readonly kind: 'read' | 'write'
  readonly verb: ConfigVerb
  /** The path below `/v1`, such as `/acl/role/:ID`. */
  readonly path: string
  readonly summary: string
  /** Parameters of the path and the query, including {@link COMMON_PARAMETERS}. */
  readonly fields: F
  /** Members of the body. If the path contains a member as well, the body may repeat the value, but not change it. */
  readonly body: B
  /** Members that the service sets in responses. Requests may contain them too, but their values are ignored. */
  readonly repeats: readonly string[]
  /** The member that is sent as the entire body, such as a list. */
  readonly whole?: string | undefined
  /** The member of the body that the typed method takes as a separate first argument. */
  readonly leads: L
  /** Arguments that may be any JSON value. A typed call copies them, so the caller may change them afterwards. */
  readonly copies?: readonly string[] | undefined
  /** The maximum length of the body as JSON. */
  readonly maxBodyBytes?: number | undefined
  /** Whether the operation can be called only by its typed method, not by path. */
  readonly unrouted?: true | undefined
  readonly answers: Field<A, unknown>
  /** The permission that the caller needs; absent if the operation checks permissions itself, or if no permission is needed. */
  readonly permission?: PermissionText | undefined
  /** The table that a read operation reads. The read can wait until the table changes. */
  readonly table?: IndexedTable | undefined
  /** The only record on which a read depends. A blocking read is then woken by changes of this record alone. */
  readonly recordRead?: ((tx: ConfigTx, input: ConfigInput<F, B>) => RecordAddress) | undefined
  /** Returns the index of the last change of the result. If absent, only an upper bound of this index is known: the index of the table. */
  readonly modifyIndexOf?: ((found: A) => number) | undefined
  /** Returns strings that represent the result: different results have different strings. Default: the JSON text of the result. */
  readonly stateTexts?: ((found: A) => Iterable<string>) | undefined
  /** Whether a request without the last segment of the path gets a 404. Otherwise it gets a 405 if the shorter path exists for another verb. */
  readonly requiresLastSegment?: true | undefined
  /**
   * Whether a request for this path, with any verb, is never routed to a path that has a parameter instead of the last segment. For example,
   * a DELETE of `/acl/token/self` is not routed to `/acl/token/:AccessorID`. Declare the operation before operations with such a parameter.
   */
  readonly exclusive?: true
  /** The message of the 404 response if a read returns undefined. */
  readonly notFoundMessage?: string | ((input: ConfigInput<F, B>) => string) | undefined
  /** The noun for error messages about the body. */
  readonly thing: string
  /** Refuses a request for reasons that do not depend on permissions. @throws KernelError 400 */
  readonly check?: ((input: ConfigInput<F, B>) => void) | undefined
  /**
   * Reads and validates the body once, before the transaction. Depends on no records. `run` receives the result. An operation has this
   * function or `prepare`, not both.
   * @param refusal The error if the caller is unknown. Then the body need not be validated, and `run` must throw an error.
   */
  readonly readBody?: ((input: ConfigInput<F, B>, refusal: KernelError | undefined) => Steps<unknown>) | undefined
  /** Whether the operation lists records. A list is never cached, so the operation runs in a transaction from the start. */
  readonly lists?: true | undefined
  /** Runs as a read before the write, and may wait for a port. `run` receives the result. */
  readonly prepare?: ((tx: ConfigTx, input: ConfigInput<F, B>) => unknown) | undefined
  /** Synchronous; may run more than once. Undefined means that the requested record does not exist. */
  readonly run: (tx: ConfigTx, input: ConfigInput<F, B>, prepared: unknown) => A | ResultWithMeta<A> | undefined
}

export interface RecordAddress {
  readonly kind: Pick<RecordKind<unknown>, 'class' | 'folder'>
  readonly id: string
}

/** A result with additional information. */
export class ResultWithMeta<A> {
  readonly value: A
  /** Whether elements were left out because the caller may not read them. */
  readonly filtered: boolean
  /** The body of the response to a request, if it differs from the value. */
  readonly wire: unknown

  constructor(value: A, { filtered = false, wire = value }: { readonly filtered?: boolean; readonly wire?: unknown } = {}) {
    this.value = value
    this.filtered = filtered
    this.wire = wire
  }
}

/** The maximum length of the body for most operations. */
const MAX_BODY_BYTES = 1_048_576

export const maxBodyBytesOf = ({ maxBodyBytes: longest = MAX_BODY_BYTES }: Pick<AnyConfigOperation, 'maxBodyBytes'>): number =>
  longest

export const notFoundMessageOf = (
  { notFoundMessage: absent = 'nothing of that name exists' }: AnyConfigOperation,
  input: Values,
): string => (typeof absent === 'string' ? absent : absent(input as ConfigInput<Fields, Fields>))

/** The parsed parameters of path, query and body. */
export type ConfigInput<F extends Fields, B extends Fields> = Parsed<F> & Parsed<B>

type OperationDefinition<P extends string, F extends Fields, B extends Fields, A, L extends string | undefined> = Omit<
  ConfigOperation<F & Common, B, A, L>,
  'fields' | 'body' | 'repeats' | 'answers' | 'leads'
> & {
  readonly path: P
  readonly fields: F & Readonly<Record<PathParam<P>, unknown>>
  readonly body?: B
  readonly repeats?: readonly string[]
  readonly answers: Field<A, unknown>
  readonly leads?: L
}

export const configOperation = <
  const P extends string,
  F extends Fields,
  A,
  B extends Fields = Record<never, never>,
  L extends string | undefined = undefined,
>({
  fields,
  body,
  repeats = [],
  leads,
  ...definition
}: OperationDefinition<P, F, B, A, L>): ConfigOperation<F & Common, B, A, L> => ({
  ...definition,
  fields: { ...COMMON_PARAMETERS, ...fields },
  body: body ?? ({} as B),
  repeats,
  leads: leads as L,
})

// biome-ignore lint/suspicious/noExplicitAny: an operation of any types, for tables of operations.
export type AnyConfigOperation = ConfigOperation<any, any, any, any>
export type ConfigOperations = Readonly<Record<string, AnyConfigOperation>>

/** The arguments of a typed method. A parameter that is in both path and body counts as a parameter of the path. */
export type ConfigArguments<O> = O extends { readonly fields: infer F extends Fields; readonly body: infer B extends Fields }
  ? Arguments<Omit<B, keyof F> & F>
  : never

type LeadOf<O, W extends string> = ConfigArguments<O> extends infer A extends Readonly<Record<W, unknown>> ? A[W] : never

type AnswerOf<O> = O extends { readonly answers: { readonly decode: (coerced: unknown, name: string) => infer A } } ? A : never

export interface WatchOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal
}

/** The typed methods for a set of operations. */
export type ConfigApi<O extends ConfigOperations> = {
  readonly [K in keyof O]: O[K] extends { readonly leads: infer W extends string }
    ? (lead: LeadOf<O[K], W>, args?: Omit<ConfigArguments<O[K]>, W>) => Promise<AnswerOf<O[K]>>
    : Record<never, never> extends ConfigArguments<O[K]>
      ? (args?: ConfigArguments<O[K]>) => Promise<AnswerOf<O[K]>>
      : (args: ConfigArguments<O[K]>) => Promise<AnswerOf<O[K]>>
}
