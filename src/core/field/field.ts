/**
 * A parameter: how the typed API and the wire each pass it in, and how a result is shown.
 */
import type { Steps } from '../base/steps.ts'

/**
 * A parameter enters by one of two ways and never both: `fromTyped` for the typed API, `coerce` then `decode` for the wire.
 * `coerce` checks only the JSON type and fails the whole request; `decode` checks value and range and, in a batch, fails only its
 * item.
 */
export interface Field<Out, In = Out> {
  /** @throws TypeError for a wrong JavaScript type, KernelError for a value outside the rule. */
  readonly fromTyped: (value: unknown, name: string) => Out
  /** Weak decoding, as the originals do it: numbers from text, text from numbers, one value as a list. @throws KernelError 400 */
  readonly coerce: (raw: unknown, name: string) => unknown
  /** Strict decoding for the members of a batch item: the JSON type must match. @throws KernelError 400 */
  readonly strict: (raw: unknown, name: string) => unknown
  /** @throws KernelError 400 */
  readonly decode: (coerced: unknown, name: string) => Out
  /** Whether a value, as passed in by either way, is too long to be read at once. Only with `typedSteps` or `decodeSteps`. */
  readonly isLong?: ((value: unknown) => boolean) | undefined
  /** `fromTyped` in pieces, during which the value must not change. */
  readonly typedSteps?: ((value: unknown, name: string) => Steps<Out>) | undefined
  /** `decode` in pieces; `decode` accepts its result as its own. */
  readonly decodeSteps?: ((coerced: unknown, name: string) => Steps<Out>) | undefined
  /**
   * The wire form of a typed value, where it differs: what the audit log and policies see of a typed call, and a primary of a forwarded
   * one. `fromTyped` makes the same value of it.
   */
  readonly sent?: ((value: Out) => unknown) | undefined
  /** `sent` in pieces, for values that were long. */
  readonly sentSteps?: ((value: Out) => Steps<unknown>) | undefined
  /** The wire form of a result, which may depend on what was asked. Absent where both views show the same. */
  readonly encode?: ((value: Out, input: Readonly<Record<string, unknown>>) => unknown) | undefined
  readonly required: boolean
  /** The value of an absent parameter; undefined means "not given". */
  readonly fallback: Out | undefined
  readonly description: string
  /** JSON Schema of the wire form. */
  readonly schema: Readonly<Record<string, unknown>>
  /** What an object is made of, or each of a list; absent where the field is none with fields of its own. */
  readonly members?: FieldMembers | undefined
  readonly deprecated: boolean
  /** Null is a value of its own; of other fields it counts as absent. */
  readonly nullable?: boolean | undefined
  /** Bytes of which the operation keeps nothing beyond its answer, so that a long copy of them can lie in memory that is used again. */
  readonly isLent?: boolean
  /** The originals' name for it, on the wire. */
  readonly original?: string | undefined
  /** The part of a path value that an operation ignores: policies see the path without it. */
  readonly ignores?: IgnoredSpelling | undefined
  /** Other names for its words. */
  readonly aliases?: Readonly<Record<string, string>> | undefined
  /** Type only: the values that a caller of the typed API may pass. */
  readonly '~in'?: In
  /** Type only: the parameter may be left out. */
  readonly '~optional'?: boolean
}

/** `case`: that of letters. `slashes`: those at either end, and repeated ones. `number form`: zeros, a plus sign and a `v` in front of digits. */
export type IgnoredSpelling = 'case' | 'slashes' | 'number form'

/** The fields within a field. */
export interface FieldMembers {
  /** What users know such an object as; undefined where nothing shows it to them. */
  readonly name: string | undefined
  readonly fields: Fields
  /** Whether the value is a list of such objects. */
  readonly many: boolean
}

/** A field that may be left out by the caller. */
export type Optional<Out, In> = Field<Out, In> & { readonly '~optional': true }

export interface Builder<Out, In = Out> extends Field<Out, In> {
  /** Absent is `undefined`, which is different from every value. */
  optional(): Optional<Out | undefined, In>
  /** Absent is the same as `value`. */
  default(value: Out): Optional<Out, In>
  /**
   * Required in the types of the typed API. A call without it reaches the operation as `value`, by default undefined, so that the operation's own
   * check refuses it, on the wire, too.
   */
  needed(): Field<Out | undefined, In>
  needed(value: Out): Field<Out, In>
  /** Still accepted; help and OpenAPI say that it is old. */
  deprecate(): Builder<Out, In>
  /** The originals' name for it: taken on the wire as well, and shown in answers under their naming. */
  called(original: string): Builder<Out, In>
  /** The operation keeps nothing of these bytes beyond its answer, which holds copies at most. */
  lent(): Builder<Out, In>
  /** Declares which part of the value the operation ignores. */
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

/** Completes a field's parts with the members that all fields share. */
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

// The existential type of a field in a table: a value of it is only ever used through the table it came from.
// biome-ignore lint/suspicious/noExplicitAny: no other type accepts every Field<Out, In>, since Out stands on both sides.
export type AnyField = Field<any, any>

export type Fields = Readonly<Record<string, AnyField>>

type Simplify<T> = { [K in keyof T]: T[K] } & {}

type InOf<F> = F extends { readonly '~in'?: infer In } ? Exclude<In, undefined> : never

type OutOf<F> = F extends { readonly decode: (coerced: unknown, name: string) => infer Out } ? Out : never

type IsOptional<F> = F extends { readonly '~optional': true } ? true : false

/** The arguments of the typed API for a table of fields. */
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
