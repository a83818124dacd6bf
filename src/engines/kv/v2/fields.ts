/**
 * Parameters that only version 2 has.
 */
import { parseDuration } from '../../../core/base/duration.ts'
import { invalid } from '../../../core/base/errors.ts'
import { checkCount, splitTexts } from '../../../core/field/coercion.ts'
import { type Builder, buildField, type Field } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import type { DurationInput } from '../../../core/field/scalar-fields.ts'
import { memberOf } from '../../../core/json/wide-object.ts'

export const PATH = f.path('Where the secret lies below the mount, such as `app/db`; any characters.')
/** Earlier typed calls have stored secrets under texts that are not valid paths; typed calls still find and delete those. */
export const STORED_PATH = f.text('Where the secret lies below the mount.')

/** A field that the types require; the operation itself refuses its absence, with the message that clients know. */
export const requiredByOperation = <Out, In>(field: Builder<Out, In>): Field<Out | undefined, In> =>
  ({ ...field, required: false }) as Field<Out, In> as Field<Out | undefined, In>

const int = f.int('')

/** The largest version count. */
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

/** A whole number, not negative. */
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

/** Seconds; every negative value becomes -1. */
const signedSeconds = (value: number | string, name: string): number => {
  const negative = typeof value === 'number' ? value < 0 : value.startsWith('-')
  const size = negative ? (typeof value === 'number' ? -value : value.slice(1)) : value
  const seconds = parseDuration(size, name)
  return negative && seconds > 0 ? -1 : seconds
}

/** A negative value switches timed deletion off. */
export const signedDeleteAfter = (description: string): Builder<number, DurationInput> =>
  buildField({
    fromTyped: (value, name) => signedSeconds(duration.coerce(value, name) as number | string, name),
    coerce: duration.coerce,
    decode: (value, name) => signedSeconds(value as number | string, name),
    description,
    schema: duration.schema,
  })

/** The most versions named in one request. */
const MAX_NAMED_VERSIONS = 100_000

/** Numbers; on the wire also their texts, or one comma-separated text. */
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
  description: 'Which versions; such as do not exist are passed over.',
  schema: { type: 'array', items: { type: 'integer' } },
})

export interface WriteOptions {
  /** The version that must be the newest for the write to happen; 0: there must be no version. */
  readonly cas?: number | undefined
}

const invalidCas = () => invalid('options.cas: error parsing check-and-set parameter')

/** Parses what the originals accept as a number here. */
function looseCas(value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (value === null) return 0
  // No version has a number beyond 2^53.
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
    'With `cas`, the number of the newest version, the write happens only while that is the newest; 0: while there is none.',
  schema: { type: 'object' },
}).default({})
