/** Fields: how a parameter is read by typed calls and path calls, and how a result is written. */
import type { Steps } from '../base/steps.ts'

/**
 * A value is read in one of two ways: by `fromTyped` in typed calls, or by `coerce` and then `decode` in path calls. `coerce` checks only
 * the JSON type and refuses the whole request; `decode` checks value and range, and in a batch refuses only the item.
 */
export interface Field<Out, In = Out> {
  /** @throws TypeError for a wrong JavaScript type, KernelError for an invalid value. */
  readonly fromTyped: (value: unknown, name: string) => Out
  /** Weak decoding, as Vault does it: numbers from text, text from numbers, a single value as a list. @throws KernelError 400 */
  readonly coerce: (raw: unknown, name: string) => unknown
  /** Strict decoding for members of batch items: the JSON type must match. @throws KernelError 400 */
  readonly strict: (raw: unknown, name: string) => unknown
  /** @throws KernelError 400 */
  readonly decode: (coerced: unknown, name: string) => Out
  /** Whether a value, typed or from the wire, is too long to read in one step. Only with `typedSteps` or `decodeSteps`. */
  readonly isLong?: ((value: unknown) => boolean) | undefined
  /** `fromTyped` in steps. The value must not change in the meantime. */
  readonly typedSteps?: ((value: unknown, name: string) => Steps<Out>) | undefined
  /** `decode` in steps. `decode` accepts the result of it. */
  readonly decodeSteps?: ((coerced: unknown, name: string) => Steps<Out>) | undefined
  /**
   * The wire form of a typed value, if it differs. Audit log, policies and the primary of a forwarded call see this form. `fromTyped` must
   * read it as the same value.
   */
  readonly sent?: ((value: Out) => unknown) | undefined
  /** `sent` in steps, for long values. */
  readonly sentSteps?: ((value: Out) => Steps<unknown>) | undefined
  /** The wire form of a result, which may depend on the input. Absent if both forms are equal. */
  readonly encode?: ((value: Out, input: Readonly<Record<string, unknown>>) => unknown) | undefined
  readonly required: boolean
  /** The value of an absent parameter; undefined means "not given". */
  readonly fallback: Out | undefined
  readonly description: string
  /** The JSON Schema of the wire form. */
  readonly schema: Readonly<Record<string, unknown>>
  /** The fields of an object, or of each object of a list. Absent if the field has no declared members. */
  readonly members?: FieldMembers | undefined
  readonly deprecated: boolean
  /** Whether null is a value. In other fields null counts as absent. */
  readonly nullable?: boolean | undefined
  /** The operation keeps none of these bytes after its answer, so that a long copy can be in a pooled buffer. */
  readonly isLent?: boolean
  /** Vault's name for it on the wire. */
  readonly original?: string | undefined
  /** The difference in a path value that the operation ignores. Policies see the canonical value. */
  readonly ignores?: IgnoredSpelling | undefined
  /** Aliases of its words. */
  readonly aliases?: Readonly<Record<string, string>> | undefined
  /** Only a type: the values that typed calls accept. */
  readonly '~in'?: In
  /** Only a type: whether the parameter is optional. */
  readonly '~optional'?: boolean
}

/**
 * `case`: upper and lower case. `slashes`: slashes at either end and repeated slashes. `number form`: leading zeros, a plus sign and a `v`
 * before digits.
 */
export type IgnoredSpelling = 'case' | 'slashes' | 'number form'

/** The declared fields of an object. */
export interface FieldMembers {
  /** The name of the object's type in the documentation; undefined if no documentation shows it. */
  readonly name: string | undefined
  readonly fields: Fields
  /** Whether the value is a list of such objects. */
  readonly many: boolean
}

/** A field that the caller may omit. */
export type Optional<Out, In> = Field<Out, In> & { readonly '~optional': true }

export interface Builder<Out, In = Out> extends Field<Out, In> {
  /** An absent value is `undefined`, which no given value is. */
  optional(): Optional<Out | undefined, In>
  /** An absent value is `value`. */
  default(value: Out): Optional<Out, In>
  /**
   * Required in the types of typed calls. A call without it nevertheless reaches the operation, with `value` (default undefined), so that
   * typed calls and path calls fail with the operation's own error.
   */
  needed(): Field<Out | undefined, In>
  needed(value: Out): Field<Out, In>
  /** Still accepted; help and OpenAPI mark it as deprecated. */
  deprecate(): Builder<Out, In>
  /** Vault's name: also accepted on the wire, and used in answers if the kernel has Vault's naming. */
  called(original: string): Builder<Out, In>
  /** The operation keeps none of these bytes after its answer, except copies in the answer. */
  lent(): Builder<Out, In>
  /** Declares a difference in the value that the operation ignores. */
  ignoring(ignores: IgnoredSpelling): Builder<Out, In>
}

export interface FieldParts<Out> {
  readonly fromTyped: Field<Out>['fromTyped']
  readonly coerce: Field<Out>['coerce']
  readonly strict?: Field<Out>['strict']
  readonly decode: Field<Out>['decode']
  readonly isLong?: Field<Out>['isLong']
  readonly typedSteps?: Field<Out>['typedSteps']
  readonly decodeSteps?: Field<Out>['decodeSteps']
  readonly sent?: Field<Out>['sent']
  readonly sentSteps?: Field<Out>['sentSteps']
  readonly encode?: Field<Out>['encode']
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly members?: Field<Out>['members']
  readonly nullable?: Field<Out>['nullable']
  readonly aliases?: Field<Out>['aliases']
}

/** Adds the members that all fields share. */
export function buildField<Out, In = Out>(parts: FieldParts<Out>): Builder<Out, In> {
  const base = { strict: parts.coerce, ...parts, required: true, fallback: undefined, deprecated: false }
  return withModifiers<Out, In>(base)
}

function withModifiers<Out, In>(base: Field<Out>): Builder<Out, In> {
  return {
    ...(base as unknown as Field<Out, In>),
    optional: () => ({ ...base, required: false, fallback: undefined }) as unknown as Optional<Out | undefined, In>,
    default: (value) => ({ ...base, required: false, fallback: value }) as unknown as Optional<Out, In>,
    needed: ((value?: Out) => ({ ...base, required: false, fallback: value })) as unknown as Builder<Out, In>['needed'],
    deprecate: () => withModifiers<Out, In>({ ...base, deprecated: true }),
    called: (original) => withModifiers<Out, In>({ ...base, original }),
    lent: () => withModifiers<Out, In>({ ...base, isLent: true }),
    ignoring: (ignores) => withModifiers<Out, In>({ ...base, ignores }),
  }
}

// A field in a table: its value is only used through the table that it came from.
// biome-ignore lint/suspicious/noExplicitAny: no other type accepts every Field<Out, In>, because Out occurs in parameters and in results.
export type AnyField = Field<any, any>

export type Fields = Readonly<Record<string, AnyField>>

type Simplify<T> = { [K in keyof T]: T[K] } & {}

type InOf<F> = F extends { readonly '~in'?: infer In } ? Exclude<In, undefined> : never

type OutOf<F> = F extends { readonly decode: (coerced: unknown, name: string) => infer Out } ? Out : never

type IsOptional<F> = F extends { readonly '~optional': true } ? true : false

/** The arguments of a typed call for a table of fields. */
export type Arguments<S extends Fields> = Simplify<
  { readonly [K in keyof S as IsOptional<S[K]> extends true ? never : K]: InOf<S[K]> } & {
    readonly [K in keyof S as IsOptional<S[K]> extends true ? K : never]?: InOf<S[K]> | undefined
  }
>

/** The input of an operation for a table of fields. */
export type Parsed<S extends Fields> = { readonly [K in keyof S]: OutOf<S[K]> }

/** The result of an operation for a table of result fields. */
export type Result<S extends Fields> = Simplify<
  { readonly [K in keyof S as IsOptional<S[K]> extends true ? never : K]: OutOf<S[K]> } & {
    readonly [K in keyof S as IsOptional<S[K]> extends true ? K : never]?: Exclude<OutOf<S[K]>, undefined>
  }
>
