/** Fields. A field defines how typed calls and calls by path read a parameter, and how they return a result. */
import type { Steps } from '../base/steps.ts'

/**
 * Typed calls read a value with `fromTyped`. Calls by path read it in two stages: `coerce` checks only the JSON type, and an error refuses
 * the whole request; `decode` checks the value and its range, and an error in a batch refuses only the item.
 */
export interface Field<Out, In = Out> {
  /** @throws TypeError for a wrong JavaScript type, KernelError for an invalid value. */
  readonly fromTyped: (value: unknown, name: string) => Out
  /**
   * Converts a value from the wire, with the same conversions as Vault: from strings to numbers, from numbers to strings, and from a single
   * value to a list. @throws KernelError 400
   */
  readonly coerce: (raw: unknown, name: string) => unknown
  /** Like `coerce`, but without conversions: the JSON type must match. For members of batch items. @throws KernelError 400 */
  readonly strict: (raw: unknown, name: string) => unknown
  /** @throws KernelError 400 */
  readonly decode: (coerced: unknown, name: string) => Out
  /**
   * Whether a value is too long to be read in one step. The value may be typed or from the wire. Only for fields with `typedSteps` or
   * `decodeSteps`.
   */
  readonly isLong?: ((value: unknown) => boolean) | undefined
  /**
   * Like `fromTyped`, for a long value: a generator that yields to the event loop. The value must not change until the generator has ended.
   */
  readonly typedSteps?: ((value: unknown, name: string) => Steps<Out>) | undefined
  /**
   * Like `decode`, for a long value: a generator that yields to the event loop. Its result is passed to `decode`, which must return the
   * result unchanged.
   */
  readonly decodeSteps?: ((coerced: unknown, name: string) => Steps<Out>) | undefined
  /**
   * Converts a typed value to its wire form. Absent if both forms are the same. The audit log, policies, and the primary that gets a
   * forwarded call see the wire form. `fromTyped` must convert the wire form back to the same value.
   */
  readonly sent?: ((value: Out) => unknown) | undefined
  /** Like `sent`, for a long value: a generator that yields to the event loop. */
  readonly sentSteps?: ((value: Out) => Steps<unknown>) | undefined
  /** Converts a result to its wire form, which may depend on the input. Absent if both forms are the same. */
  readonly encode?: ((value: Out, input: Readonly<Record<string, unknown>>) => unknown) | undefined
  readonly required: boolean
  /** The value that the operation gets for an omitted parameter. Undefined if the operation gets no value. */
  readonly fallback: Out | undefined
  readonly description: string
  /** The JSON Schema of the wire form. */
  readonly schema: Readonly<Record<string, unknown>>
  /** The fields of the object, or of each object in the list. Absent if the field does not declare its members. */
  readonly members?: FieldMembers | undefined
  readonly deprecated: boolean
  /** Whether null is a valid value. For other fields, null means that the parameter was omitted. */
  readonly nullable?: boolean | undefined
  /**
   * If true, the operation does not use the bytes after its answer. So long bytes can be copied to a pooled buffer, which is reused after
   * the answer.
   */
  readonly isLent?: boolean
  /** The name that Vault uses for the field on the wire, if it differs. */
  readonly original?: string | undefined
  /** The spelling differences that the operation ignores if the value is part of the path. Policies decide about the canonical spelling. */
  readonly ignores?: IgnoredSpelling | undefined
  /** Aliases of the words that the field accepts. */
  readonly aliases?: Readonly<Record<string, string>> | undefined
  /** Exists only in the type: the values that typed calls accept. */
  readonly '~in'?: In
  /** Exists only in the type: whether the parameter is optional. */
  readonly '~optional'?: boolean
}

/**
 * `case`: upper and lower case. `slashes`: slashes at either end, and repeated slashes. `number form`: leading zeros, a plus sign, and a
 * `v` before the digits.
 */
export type IgnoredSpelling = 'case' | 'slashes' | 'number form'

/** The declared fields of an object. */
export interface FieldMembers {
  /** The name of the object's type in the documentation. Undefined if the documentation does not show the type. */
  readonly name: string | undefined
  readonly fields: Fields
  /** Whether the value is a list of objects with these fields. */
  readonly many: boolean
}

/** A field that the caller may omit. */
export type Optional<Out, In> = Field<Out, In> & { readonly '~optional': true }

export interface Builder<Out, In = Out> extends Field<Out, In> {
  /** Makes the parameter optional. The operation gets `undefined` if it was omitted; no value that a caller sends is `undefined`. */
  optional(): Optional<Out | undefined, In>
  /** Makes the parameter optional. The operation gets `value` if it was omitted. */
  default(value: Out): Optional<Out, In>
  /**
   * Makes the parameter required in the TypeScript types but not at run time. If a call omits it, the operation gets `value` (default
   * undefined) and throws the error itself. So typed calls and calls by path fail with the same error.
   */
  needed(): Field<Out | undefined, In>
  needed(value: Out): Field<Out, In>
  /** Marks the parameter as deprecated in help and OpenAPI. It is still accepted. */
  deprecate(): Builder<Out, In>
  /** Sets Vault's name. Requests on the wire may also use this name; responses use it too if the kernel has Vault's naming. */
  called(original: string): Builder<Out, In>
  /** Declares that the operation does not use the bytes after its answer. The answer itself may contain copies of the bytes. */
  lent(): Builder<Out, In>
  /** Declares that the operation ignores some differences in the spelling of the value. */
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

/** Builds a field from the parts that differ between field types. */
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

// The type of a field in a table. Code that uses values of the field gets their type from the table.
// biome-ignore lint/suspicious/noExplicitAny: no other type accepts every Field<Out, In>, because Out occurs in parameters and in results.
export type AnyField = Field<any, any>

export type Fields = Readonly<Record<string, AnyField>>

type Simplify<T> = { [K in keyof T]: T[K] } & {}

type InOf<F> = F extends { readonly '~in'?: infer In } ? Exclude<In, undefined> : never

type OutOf<F> = F extends { readonly decode: (coerced: unknown, name: string) => infer Out } ? Out : never

type IsOptional<F> = F extends { readonly '~optional': true } ? true : false

/** The arguments of a typed call whose parameters have these fields. */
export type Arguments<S extends Fields> = Simplify<
  { readonly [K in keyof S as IsOptional<S[K]> extends true ? never : K]: InOf<S[K]> } & {
    readonly [K in keyof S as IsOptional<S[K]> extends true ? K : never]?: InOf<S[K]> | undefined
  }
>

/** The input of an operation whose parameters have these fields. */
export type Parsed<S extends Fields> = { readonly [K in keyof S]: OutOf<S[K]> }

/** The result of an operation whose results have these fields. */
export type Result<S extends Fields> = Simplify<
  { readonly [K in keyof S as IsOptional<S[K]> extends true ? never : K]: OutOf<S[K]> } & {
    readonly [K in keyof S as IsOptional<S[K]> extends true ? K : never]?: Exclude<OutOf<S[K]>, undefined>
  }
>
