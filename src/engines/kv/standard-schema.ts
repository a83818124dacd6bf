/**
 * The interface that schema libraries share, such as zod, valibot and arktype (https://standardschema.dev, version 1).
 */
import { KernelError } from '../../core/base/errors.ts'

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type SchemaInput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['input']

export type SchemaOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output']

const MAX_ISSUES = 10

export function assertSchema(schema: StandardSchema): void {
  if (typeof schema?.['~standard']?.validate !== 'function')
    throw new TypeError('schema: must be a Standard Schema, such as one of zod, valibot or arktype')
}

/**
 * What the schema makes of a value.
 * @param code ERR_INVALID_REQUEST for a value that is given, ERR_CONFLICT for one that is stored.
 * @throws KernelError that names the places and not the schema's messages, since those may repeat the secret.
 */
export async function validated<S extends StandardSchema>(
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
