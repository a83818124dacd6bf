/** Fields whose values are booleans, whole numbers, durations or times. `fields.ts` documents each field type. */
import { parseAbsoluteTime } from '../base/absolute-time.ts'
import { rfc3339 } from '../base/clock.ts'
import { parseDuration } from '../base/duration.ts'
import type { TemporalDuration } from '../base/duration-value.ts'
import {
  coerceBool,
  coerceDuration,
  coerceInt,
  GO_DURATION,
  pass,
  strictBool,
  strictInt,
  typedDuration,
  typedInt,
  typeError,
} from './coercion.ts'
import { type Builder, buildField } from './field.ts'

export const boolField = (description: string): Builder<boolean> =>
  buildField({
    fromTyped: (value, name) => {
      if (typeof value === 'boolean') return value
      throw typeError(name, 'a boolean')
    },
    coerce: coerceBool,
    decode: pass<boolean>,
    description,
    schema: { type: 'boolean' },
  })

export const strictBoolField = (description: string): Builder<boolean> =>
  buildField({ ...boolField(description), coerce: strictBool, strict: strictBool })

export const intField = (description: string): Builder<number> =>
  buildField({
    fromTyped: typedInt,
    coerce: coerceInt,
    strict: strictInt,
    decode: pass<number>,
    description,
    schema: { type: 'integer' },
  })

export const strictIntField = (description: string): Builder<number> =>
  buildField({ fromTyped: typedInt, coerce: strictInt, decode: pass<number>, description, schema: { type: 'integer' } })

export const durationField = (description: string): Builder<number, DurationInput> =>
  buildField({
    fromTyped: (value, name) => parseDuration(typedDuration(value, name), name),
    coerce: coerceDuration,
    decode: (value, name) => parseDuration(value as number | string, name),
    description,
    schema: { type: 'integer', format: 'seconds' },
  })

export const lateDurationField = (description: string): Builder<number | string, DurationInput> =>
  buildField({
    fromTyped: typedDuration,
    coerce: coerceDuration,
    decode: pass<number | string>,
    description,
    schema: { type: 'integer', format: 'seconds' },
  })

/** A duration: seconds, a string with units such as `90s`, or a `Temporal.Duration`. */
export type DurationInput = number | string | TemporalDuration

const TIME = 'a string such as "2030-01-31T12:00:00Z" or a number of seconds since 1970'

function timeOf(value: unknown, name: string): number | string {
  if (typeof value === 'number' || typeof value === 'string') return value
  throw typeError(name, TIME)
}

export const timeField = (description: string): Builder<number, number | string> =>
  buildField({
    fromTyped: (value, name) => parseAbsoluteTime(timeOf(value, name), name),
    coerce: (raw, name) => coerceDuration(raw, name, TIME),
    decode: (value, name) => parseAbsoluteTime(value as number | string, name),
    sent: rfc3339,
    description,
    schema: { type: 'string', format: 'date-time' },
  })

export const goDurationField = (description: string): Builder<number | string, DurationInput> =>
  buildField({
    fromTyped: (value, name) => typedDuration(value, name, GO_DURATION),
    coerce: (raw, name) => coerceDuration(raw, name, GO_DURATION),
    decode: pass<number | string>,
    description,
    schema: { type: ['string', 'integer'], format: 'go-duration' },
  })
