/**
 * Arguments become input, once, for either view. Room: core/operation. Imported by the typed view and the path view.
 */
import { LONG_BASE64 } from '../base64.ts'
import type { Steps } from '../crypto/backend.ts'
import { invalid } from '../errors.ts'
import { memberOf } from '../request/wide-object.ts'
import type { AnyField, Fields } from './field.ts'

export type Values = Readonly<Record<string, unknown>>

/** A table of fields as a list: walking one is faster than asking for keys on every call. */
type FieldList = readonly (readonly [string, AnyField])[]

const lists = new WeakMap<Fields, FieldList>()

export function fieldList(fields: Fields): FieldList {
  const known = lists.get(fields)
  if (known) return known
  const list = Object.entries(fields)
  lists.set(fields, list)
  return list
}

/**
 * The typed view: domain values. Each member is read once, so that a getter cannot answer twice.
 * @throws TypeError for wrong types and missing arguments, KernelError for values outside their rule.
 */
export function parseTyped(fields: Fields, args: Values): Values {
  const input: Record<string, unknown> = {}
  for (const [name, field] of fieldList(fields)) {
    const value = args[name]
    if (value !== undefined && value !== null) input[name] = field.fromTyped(value, name)
    else if (field.required) throw new TypeError(`${name}: is required`)
    else input[name] = field.fallback
  }
  return input
}

/** A name nobody declared is a slip of the pen. @throws TypeError */
export function refuseUnknown(args: Values, known: (name: string) => boolean): void {
  for (const name in args) if (!known(name)) throw new TypeError(`${name}: unknown argument`)
}

/** The wire, first stage: JSON types, for the whole request. Null counts as absent. @throws KernelError 400 */
export function coerceAll(fields: Fields, raw: Values, strict = false): Values {
  const coerced: Record<string, unknown> = {}
  for (const [name, field] of fieldList(fields)) {
    const value = memberOf(raw, name)
    if (value !== undefined && value !== null) coerced[name] = strict ? field.strict(value, name) : field.coerce(value, name)
  }
  return coerced
}

/** The wire, second stage: values and ranges. @throws KernelError 400 */
export function decodeAll(fields: Fields, coerced: Values): Values {
  const input: Record<string, unknown> = {}
  for (const [name, field] of fieldList(fields)) {
    const value = coerced[name]
    if (value !== undefined) input[name] = field.decode(value, name)
    else if (field.required) throw invalid(`${name}: is required`)
    else input[name] = field.fallback
  }
  return input
}

/** Decodes the texts that are too long to decode at once; undefined when there are none, as nearly always. */
export function decodeLong(fields: Fields, coerced: Values): Steps<Values> | undefined {
  for (const [name, field] of fieldList(fields)) if (isLong(field, coerced[name])) return decodeLongSteps(fields, coerced)
  return undefined
}

function* decodeLongSteps(fields: Fields, coerced: Values): Steps<Values> {
  const decoded: Record<string, unknown> = { ...coerced }
  for (const [name, field] of fieldList(fields)) {
    if (isLong(field, coerced[name])) decoded[name] = yield* field.decodeSteps?.(coerced[name] as string, name) as Steps<unknown>
  }
  return decoded
}

const isLong = (field: AnyField, value: unknown): boolean =>
  field.decodeSteps !== undefined && typeof value === 'string' && value.length > LONG_BASE64

/** Copies of all bytes: what a caller passed may change as soon as the call has returned. */
export function ownBytes(values: Values): Values {
  let copy: Record<string, unknown> | undefined
  for (const name in values) {
    const value = values[name]
    if (!(value instanceof Uint8Array)) continue
    copy ??= { ...values }
    copy[name] = value.slice()
  }
  return copy ?? values
}

/** Results as the wire shows them: bytes become base64, the rest is what it is. */
export function encodeResult(fields: Fields, result: Values): Record<string, unknown> {
  const wire: Record<string, unknown> = {}
  for (const [name, field] of fieldList(fields)) {
    const value = result[name]
    if (value !== undefined) wire[name] = field.encode ? field.encode(value) : value
  }
  return wire
}
