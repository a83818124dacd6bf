/**
 * One definition per operation of the configuration service: route, typed method, parameters, permission and answer come from it.
 */
import type { RecordKind } from '../core/contract/record-kind.ts'
import type { Arguments, Field, Fields, Parsed } from '../core/field/field.ts'
import { f } from '../core/field/fields.ts'
import type { Values } from '../core/field/parse.ts'
import type { PathParam } from '../core/field/path-pattern.ts'
import type { ConfigTx } from './call.ts'
import type { IndexedTable } from './index/counter.ts'
import type { PermissionText } from './rules/index.ts'

/** PUT and POST are two verbs here. */
export type ConfigVerb = 'GET' | 'PUT' | 'POST' | 'DELETE'

/** Parameters of the query that every operation takes. */
export const COMMON_PARAMETERS = {
  ns: f.text('The namespace; "*" in a list means all of them. Default: that of the token, else "default".').optional(),
  partition: f.text('A label that what is made here carries where it names none itself.').optional(),
  dc: f.text('The datacenter: only that of the service itself is accepted.').optional(),
}

type Common = typeof COMMON_PARAMETERS

/** `L` names the member that leads typed calls. */
export interface ConfigOperation<F extends Fields, B extends Fields, A, L extends string | undefined = undefined> {
  readonly kind: 'read' | 'write'
  readonly verb: ConfigVerb
  /** Below `/v1`, such as `/acl/role/:ID`. */
  readonly path: string
  readonly summary: string
  /** The parameters in path and query, {@link COMMON_PARAMETERS} among them. */
  readonly fields: F
  /** The members of the body. One that the path has, too, must be the same or absent. */
  readonly body: B
  /** Members that answers have and requests may therefore repeat: they are not looked at. */
  readonly repeats: readonly string[]
  /** The member of the body that is the whole of it on the wire, such as a list. */
  readonly whole?: string | undefined
  /** The member of the body that typed calls take as their first argument, in front of the others. */
  readonly leads: L
  /** Arguments that are JSON of any form. A typed call copies them, so that its caller may change them afterwards. */
  readonly copies?: readonly string[] | undefined
  /** The longest body in bytes, as JSON text. */
  readonly maxBodyBytes?: number | undefined
  /** Only the typed view has it: no request leads to its path. */
  readonly unrouted?: true | undefined
  readonly answers: Field<A, unknown>
  /** What the caller needs; absent where the operation judges the caller by itself, or everybody may call it. */
  readonly permission?: PermissionText | undefined
  /** The table that a read is of; it can wait for a change of it. */
  readonly table?: IndexedTable | undefined
  /** The one record that a read is about: whoever waits for the read is woken by changes of that record alone. */
  readonly recordRead?: ((tx: ConfigTx, input: ConfigInput<F, B>) => RecordAddress) | undefined
  /** The index at which what was found changed last. Absent: it is only known that it did not after the table's. */
  readonly modifyIndexOf?: ((found: A) => number) | undefined
  /** Texts that differ if two results differ. Default: the JSON text of the result. */
  readonly stateTexts?: ((found: A) => Iterable<string>) | undefined
  /** Without its last part the path leads nowhere, whatever other verbs lead there. */
  readonly requiresLastSegment?: true | undefined
  /** Captures of other paths do not match this path, whatever the verb. It has to be declared before them. */
  readonly reservesPath?: true
  /** The refusal (404) of a read that finds nothing. */
  readonly notFoundMessage?: string | ((input: ConfigInput<F, B>) => string) | undefined
  /** What the body is called in a refusal of its form. */
  readonly thing: string
  /** Refuses what is wrong whatever the caller may do. @throws KernelError 400 */
  readonly check?: ((input: ConfigInput<F, B>) => void) | undefined
  /** Runs as a read of its own before a write, and may wait for something outside; `run` gets what it returns. */
  readonly prepare?: ((tx: ConfigTx, input: ConfigInput<F, B>) => unknown) | undefined
  /** As operations of engines: synchronous, and may run more than once. Undefined: what is asked for does not exist. */
  readonly run: (tx: ConfigTx, input: ConfigInput<F, B>, found: unknown) => A | ResultWithMeta<A> | undefined
}

export interface RecordAddress {
  readonly kind: Pick<RecordKind<unknown>, 'class' | 'folder'>
  readonly id: string
}

/** A result with more to say than its value. */
export class ResultWithMeta<A> {
  readonly value: A
  /** Things were left out of a list that the caller may not read. */
  readonly filtered: boolean
  /** What requests are answered with, where that is not the value. */
  readonly wire: unknown

  constructor(value: A, { filtered = false, wire = value }: { readonly filtered?: boolean; readonly wire?: unknown } = {}) {
    this.value = value
    this.filtered = filtered
    this.wire = wire
  }
}

/** The longest body of most operations. */
const MAX_BODY_BYTES = 1_048_576

export const maxBodyBytesOf = ({ maxBodyBytes: longest = MAX_BODY_BYTES }: Pick<AnyConfigOperation, 'maxBodyBytes'>): number =>
  longest

export const notFoundMessageOf = (
  { notFoundMessage: absent = 'there is nothing of that name' }: AnyConfigOperation,
  input: Values,
): string => (typeof absent === 'string' ? absent : absent(input as ConfigInput<Fields, Fields>))

/** Parsed parameters of path, query and body. */
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

// biome-ignore lint/suspicious/noExplicitAny: the existential type of an operation in a table.
export type AnyConfigOperation = ConfigOperation<any, any, any, any>
export type ConfigOperations = Readonly<Record<string, AnyConfigOperation>>

/** What a typed method takes. What path and body both have, the path says. */
export type ConfigArguments<O> = O extends { readonly fields: infer F extends Fields; readonly body: infer B extends Fields }
  ? Arguments<Omit<B, keyof F> & F>
  : never

type LeadOf<O, W extends string> = ConfigArguments<O> extends infer A extends Readonly<Record<W, unknown>> ? A[W] : never

type AnswerOf<O> = O extends { readonly answers: { readonly decode: (coerced: unknown, name: string) => infer A } } ? A : never

export interface WatchOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal
}

/** The typed methods of some operations. */
export type ConfigApi<O extends ConfigOperations> = {
  readonly [K in keyof O]: O[K] extends { readonly leads: infer W extends string }
    ? (lead: LeadOf<O[K], W>, args?: Omit<ConfigArguments<O[K]>, W>) => Promise<AnswerOf<O[K]>>
    : Record<never, never> extends ConfigArguments<O[K]>
      ? (args?: ConfigArguments<O[K]>) => Promise<AnswerOf<O[K]>>
      : (args: ConfigArguments<O[K]>) => Promise<AnswerOf<O[K]>>
}
