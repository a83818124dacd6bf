/** Converts arguments to validated input, for typed calls and calls by path. */

import { bufferPool } from '../base/buffer-pool.ts'
import { invalid } from '../base/errors.ts'
import { SLICE_BYTES, type Steps } from '../base/steps.ts'
import { memberOf } from '../json/wide-object.ts'
import type { AnyField, Fields } from './field.ts'

export type Values = Readonly<Record<string, unknown>>

/** The fields of a table as a list. Iterating over a list is faster than enumerating the keys of the table at every call. */
type FieldList = readonly (readonly [string, AnyField])[]

const lists = new WeakMap<Fields, FieldList>()

export function fieldList(fields: Fields): FieldList {
  const known = lists.get(fields)
  if (known) return known
  const list = Object.entries(fields)
  lists.set(fields, list)
  return list
}

/** Data that is computed once for each table of fields. */
export interface TypedTable {
  /** The fields by name. The value is undefined for an argument that is allowed but that other code reads. */
  readonly fields: ReadonlyMap<string, TypedField | undefined>
  readonly fallbacks: Values
  readonly required: readonly string[]
  /** The fields whose values may be too long to be read in one step. */
  readonly late: readonly string[]
  /** The fields whose long values are copied to pooled buffers. {@link releaseLent} releases the buffers. */
  readonly lent: readonly string[]
}

/**
 * A copy of those members of a field that every typed call reads. All copies are instances of one class, because V8 reads them faster than
 * the fields themselves, which are objects of many shapes.
 */
class TypedField {
  readonly field: AnyField
  readonly fromTyped: AnyField['fromTyped']
  readonly isSteps: boolean
  readonly isRequired: boolean

  constructor(field: AnyField) {
    this.field = field
    this.fromTyped = field.fromTyped
    this.isSteps = field.typedSteps !== undefined
    this.isRequired = field.required
  }
}

export function typedTable(fields: Fields, others: readonly string[] = []): TypedTable {
  const list = fieldList(fields)
  return {
    fields: new Map<string, TypedField | undefined>([
      ...list.map(([name, field]) => [name, new TypedField(field)] as const),
      ...others.map((name) => [name, undefined] as const),
    ]),
    fallbacks: Object.fromEntries(list.map(([name, field]) => [name, field.fallback])),
    required: list.filter(([, field]) => field.required).map(([name]) => name),
    late: list.filter(([, field]) => field.typedSteps).map(([name]) => name),
    lent: list.filter(([, field]) => field.isLent).map(([name]) => name),
  }
}

/**
 * Parses the arguments of a typed call. Each argument is read only once, so that a getter cannot return two different values. If the
 * arguments are large, their bytes are copied, because the work continues after the method has returned and the caller may then change
 * them.
 * @param copyAbove The total size, in bytes and characters, above which bytes are copied. Pass 0 if the work can continue after the method
 * has returned even for small arguments.
 * @param copyOf Copies bytes that are not copied to a pooled buffer.
 * @throws TypeError for wrong types, and for missing or unknown arguments. KernelError for invalid values.
 */
export function parseTyped(
  { fields, fallbacks, required, lent }: TypedTable,
  args: Values,
  copyAbove = SLICE_BYTES,
  copyOf = copyToOwnBuffer,
): Values {
  const input: Record<string, unknown> = { ...fallbacks }
  let size = 0
  let missing = required.length
  for (const name in args) {
    const typed = fields.get(name)
    if (typed) {
      const value = args[name]
      if (value === undefined || (value === null && !typed.field.nullable)) continue
      const late = typed.isSteps ? lateOf(typed.field, value, name) : undefined
      const parsed: unknown = late ?? typed.fromTyped(value, name)
      if (parsed instanceof Uint8Array || typeof parsed === 'string') size += parsed.length
      input[name] = parsed
      if (typed.isRequired && parsed !== undefined) missing--
    } else if (!fields.has(name)) throw new TypeError(`${name}: unknown argument`)
  }
  if (missing > 0) for (const name of required) if (input[name] === undefined) throw new TypeError(`${name}: is required`)
  return size > copyAbove ? ownBytes(input, lent, copyOf) : input
}

const lateOf = ({ typedSteps, isLong }: AnyField, value: unknown, name: string): Late | undefined =>
  typedSteps && isLong?.(value) ? new Late(typedSteps(value, name)) : undefined

/** The placeholder in the input for an argument that is too long to be read in one step. */
class Late {
  readonly steps: Steps<unknown>
  constructor(steps: Steps<unknown>) {
    this.steps = steps
  }
}

/**
 * Returns a generator that reads the long arguments, for which {@link parseTyped} has only inserted placeholders. Undefined if there are no
 * such arguments, which is the usual case.
 */
export function parseLate(table: TypedTable, input: Values): Steps<Values> | undefined {
  for (const name of table.late) if (input[name] instanceof Late) return readLate(table, ownBytes(input))
  return undefined
}

function* readLate({ late }: TypedTable, input: Values): Steps<Values> {
  const whole: Record<string, unknown> = { ...input }
  for (const name of late) {
    const value = input[name]
    if (value instanceof Late) whole[name] = yield* value.steps
  }
  return whole
}

/** The wire forms of long arguments, keyed by name. */
export function* sentLate({ fields, late }: TypedTable, input: Values): Steps<Values> {
  const sent: Record<string, unknown> = {}
  for (const name of late) {
    const steps = fields.get(name)?.field.sentSteps
    if (steps && input[name] !== undefined) sent[name] = yield* steps(input[name])
  }
  return sent
}

/**
 * The first stage of a call by path: checks and converts the JSON types of the whole request. Null means that a parameter was omitted,
 * unless its field is nullable. @throws KernelError 400
 */
export function coerceAll(fields: Fields, raw: Values, strict = false): Values {
  const coerced: Record<string, unknown> = {}
  for (const [name, field] of fieldList(fields)) {
    const value = memberOf(raw, name)
    if (value !== undefined && (value !== null || field.nullable))
      coerced[name] = strict ? field.strict(value, name) : field.coerce(value, name)
  }
  return coerced
}

/** The second stage of a call by path: checks values and ranges. @throws KernelError 400 */
export function decodeAll(fields: Fields, coerced: Values): Values {
  const { fields: byName, fallbacks, required } = tableOf(fields)
  const input: Record<string, unknown> = { ...fallbacks }
  for (const name in coerced) {
    const value = coerced[name]
    if (value !== undefined) input[name] = byName.get(name)?.field.decode(value, name)
  }
  for (const name of required) if (input[name] === undefined) throw invalid(`${name}: is required`)
  return input
}

const tables = new WeakMap<Fields, TypedTable>()

function tableOf(fields: Fields): TypedTable {
  const known = tables.get(fields)
  if (known) return known
  const table = typedTable(fields)
  tables.set(fields, table)
  return table
}

/**
 * Returns a generator that decodes only the long values and yields to the event loop. {@link decodeAll} decodes the other values
 * afterwards. Undefined if no value is long, which is the usual case.
 */
export function decodeLong(fields: Fields, coerced: Values): Steps<Values> | undefined {
  for (const [name, field] of fieldList(fields)) if (isLong(field, coerced[name])) return decodeLongSteps(fields, coerced)
  return undefined
}

function* decodeLongSteps(fields: Fields, coerced: Values): Steps<Values> {
  const decoded: Record<string, unknown> = { ...coerced }
  for (const [name, field] of fieldList(fields)) {
    if (isLong(field, coerced[name])) decoded[name] = yield* field.decodeSteps?.(coerced[name], name) as Steps<unknown>
  }
  return decoded
}

const isLong = (field: AnyField, value: unknown): boolean =>
  value !== undefined && field.decodeSteps !== undefined && field.isLong?.(value) === true

/**
 * Copies all byte arrays that belong to the caller, because the caller may change them after the method has returned.
 * @param lent The names of fields whose long values may be copied to pooled buffers. {@link releaseLent} releases the buffers.
 */
export function ownBytes(values: Values, lent: readonly string[] = [], copyOf = copyToOwnBuffer): Values {
  let copy: Record<string, unknown> | undefined
  for (const name in values) {
    const value = values[name]
    if (!(value instanceof Uint8Array) || value.length === 0 || bufferPool.isTaken(value)) continue
    copy ??= { ...values }
    copy[name] = value.length > SLICE_BYTES && lent.includes(name) ? lentCopy(value) : copyOf(value)
  }
  return copy ?? values
}

const copyToOwnBuffer = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)

function lentCopy(bytes: Uint8Array): Uint8Array {
  const copy = bufferPool.take(bytes.length)
  copy.set(bytes)
  return copy
}

/** Wipes and releases the pooled buffers. Call it only if the operation succeeded; after a failure, the buffers may still be in use. */
export function releaseLent({ lent }: TypedTable, input: Values): void {
  for (const name of lent) {
    const bytes = input[name] as Uint8Array | undefined
    if (bytes === undefined || !bufferPool.isTaken(bytes)) continue
    bytes.fill(0)
    bufferPool.release(bytes)
  }
}

const NO_INPUT: Values = Object.freeze({})

/** Converts a result to its wire form: byte arrays become strings, and other values stay unchanged. */
export function encodeResult(fields: Fields, result: Values, input: Values = NO_INPUT): Record<string, unknown> {
  const wire: Record<string, unknown> = {}
  for (const [name, field] of fieldList(fields)) {
    const value = result[name]
    if (value !== undefined) wire[name] = field.encode ? field.encode(value, input) : value
  }
  return wire
}
