/** The Standard Schema interface, which libraries such as zod, valibot and arktype implement (https://standardschema.dev, version 1). */
import { KernelError } from '../../core/base/errors.ts'

/** A schema of any library that implements version 1 of the interface. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The interface that the library implements. */
  readonly '~standard': {
    /** The version of the interface. */
    readonly version: 1
    /** The name of the library. */
    readonly vendor: string
    /** Validates a value. */
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    /** Used only by the compiler; absent at run time. */
    readonly types?:
      | {
          /** The type of values before validation. */
          readonly input: Input
          /** The type of values after validation. */
          readonly output: Output
        }
      | undefined
  }
}

/** The result of a validation. */
export type SchemaResult<Output> =
  | {
      /** The validated value. */
      readonly value: Output
      /** Undefined if the value is valid. */
      readonly issues?: undefined
    }
  | {
      /** The reasons why the value is invalid. */
      readonly issues: readonly SchemaIssue[]
    }

/** One reason why a value is invalid. */
export interface SchemaIssue {
  /** The library's explanation. The kernel's error messages omit this text, because it may contain the secret. */
  readonly message: string
  /** The path to the invalid member of the value. */
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            /** The name of a member, or an index. */
            readonly key: PropertyKey
          }
      )[]
    | undefined
}

export type SchemaInput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input']

export type SchemaOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output']

const MAX_ISSUES = 10

export function assertSchema(schema: StandardSchema): void {
  if (typeof schema?.['~standard']?.validate !== 'function')
    throw new TypeError('schema: must be a Standard Schema, such as one of zod, valibot or arktype')
}

/**
 * Validates a value and returns the schema's output.
 * @param code ERR_INVALID_REQUEST for a value to write, ERR_CONFLICT for a stored value.
 * @throws KernelError that names the positions of the errors. It does not contain the schema's messages, because they may contain the
 * secret.
 */
export async function validateBySchema<S extends StandardSchema>(
  schema: S,
  value: unknown,
  code: 'ERR_INVALID_REQUEST' | 'ERR_CONFLICT',
): Promise<SchemaOutput<S>> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  const places = [...new Set(result.issues.slice(0, MAX_ISSUES).map(placeOf))]
  throw new KernelError(
    code,
    `${places.join(', ')}: ${code === 'ERR_CONFLICT' ? 'the stored secret ' : ''}does not match the schema`,
  )
}

const placeOf = ({ path = [] }: SchemaIssue): string =>
  ['data', ...path.map((part) => String(typeof part === 'object' ? part.key : part).slice(0, 100))].join('.')
