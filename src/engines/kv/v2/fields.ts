/** Parameters that exist only in version 2. */
import { parseDuration } from '../../../core/base/duration.ts'
import { invalid } from '../../../core/base/errors.ts'
import { checkCount, splitTexts } from '../../../core/field/coercion.ts'
import { type Builder, buildField, type Field } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import type { DurationInput } from '../../../core/field/scalar-fields.ts'
import { memberOf } from '../../../core/json/wide-object.ts'

export const KV_SECRET_PATH = f.path('The path of the secret below the mount, such as `app/db`; any characters.')

/**
 * Marks a field as required in its type only. The operation itself checks that the value is present, so that the error has Vault's message.
 */
export const requiredByOperation = <Out, In>(field: Builder<Out, In>): Field<Out | undefined, In> =>
  ({ ...field, required: false }) as Field<Out, In> as Field<Out | undefined, In>

const int = f.int('')

const MAX_VERSION_COUNT = 2 ** 32 - 1

const inRange = (value: number, name: string): number => {
  if (value >= 0 && value <= MAX_VERSION_COUNT) return value
  throw invalid(`${name}: must be from 0 to ${MAX_VERSION_COUNT}`)
}

export const maxVersions = (description: string): Builder<number> =>
  buildField({
    fromTyped: (value, name) => inRange(int.fromTyped(value, name), name),
    coerce: int.coerce,
    decode: (value, name) => inRange(value as number, name),
    description,
    schema: { type: 'integer', minimum: 0, maximum: MAX_VERSION_COUNT },
  })

/** A field for a non-negative integer. */
export const count = (description: string): Builder<number> => {
  const check = (value: number, name: string): number => {
    if (value >= 0) return value
    throw invalid(`${name}: must not be negative`)
  }
  return buildField({
    fromTyped: (value, name) => check(int.fromTyped(value, name), name),
    coerce: int.coerce,
    decode: (value, name) => check(value as number, name),
    description,
    schema: { type: 'integer', minimum: 0 },
  })
}

const duration = f.duration('')

/** Converts a duration to seconds. Every negative duration becomes -1. */
const signedSeconds = (value: number | string, name: string): number => {
  const negative = typeof value === 'number' ? value < 0 : value.startsWith('-')
  const size = negative ? (typeof value === 'number' ? -value : value.slice(1)) : value
  const seconds = parseDuration(size, name)
  return negative && seconds > 0 ? -1 : seconds
}

/** A field for the age at which versions are deleted. A negative value disables automatic deletion. */
export const signedDeleteAfter = (description: string): Builder<number, DurationInput> =>
  buildField({
    fromTyped: (value, name) => signedSeconds(duration.coerce(value, name) as number | string, name),
    coerce: duration.coerce,
    decode: (value, name) => signedSeconds(value as number | string, name),
    description,
    schema: duration.schema,
  })

/** Maximum number of versions in one request. */
const MAX_NAMED_VERSIONS = 100_000

/** A list of integers. Calls by path also accept strings of integers, or one comma-separated string. */
export const VERSIONS: Builder<readonly number[]> = buildField({
  fromTyped: (value, name) => {
    if (!Array.isArray(value)) throw new TypeError(`${name}: must be an array of numbers`)
    return checkCount(value, name, MAX_NAMED_VERSIONS).map((item) => int.fromTyped(item, name))
  },
  coerce: (raw, name) => {
    if (raw === '') return []
    const list: readonly unknown[] =
      typeof raw === 'string'
        ? splitTexts(raw, name, MAX_NAMED_VERSIONS)
        : checkCount(Array.isArray(raw) ? raw : [raw], name, MAX_NAMED_VERSIONS)
    return list.map((item) => int.coerce(typeof item === 'string' ? item.trim() : item, name))
  },
  decode: (value) => value as readonly number[],
  description: 'The versions. Versions that do not exist are skipped.',
  schema: { type: 'array', items: { type: 'integer' } },
})

export interface WriteOptions {
  /** The write succeeds only if this is the latest version; 0 requires that the secret has no version. */
  readonly cas?: number | undefined
}

const invalidCas = () => invalid('options.cas: error parsing check-and-set parameter')

/** Accepts every form of a number that Vault accepts. */
function looseCas(value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (value === null) return 0
  // A bigint is beyond 2^53, which no version number reaches. Return -1, which never equals the latest version.
  if (typeof value === 'bigint') return -1
  try {
    return int.coerce(value, 'options.cas') as number
  } catch {
    throw invalidCas()
  }
}

export const OPTIONS = buildField<WriteOptions>({
  fromTyped: (value, name) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${name}: must be an object`)
    for (const member in value) if (member !== 'cas') throw new TypeError(`${name}.${member}: unknown argument`)
    const { cas } = value as WriteOptions
    return cas === undefined ? {} : { cas: int.fromTyped(cas, `${name}.cas`) }
  },
  coerce: f.object('').coerce,
  decode: (value) => ({ cas: looseCas(memberOf(value as object, 'cas')) }),
  description:
    'If `cas` is given, the write succeeds only if `cas` is the latest version; 0 requires that the secret has no version.',
  schema: { type: 'object' },
}).default({})
