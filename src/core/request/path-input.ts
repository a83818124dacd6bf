/**
 * Converts the parameters of a call by path to input. As in Vault, captures from the path override parameters in the body, and unknown and
 * overridden parameters cause warnings.
 */
import { invalid } from '../base/errors.ts'
import type { Steps } from '../base/steps.ts'
import { checkCaptures } from '../contract/captures.ts'
import type { AnyOperation, AnySingle } from '../contract/operation.ts'
import { PARTIAL, PARTIAL_STATUS, wireFields } from '../contract/wire-fields.ts'
import { MAX_FIELD_MEMBERS } from '../field/coercion.ts'
import type { Fields } from '../field/field.ts'
import { coerceAll, decodeAll, decodeLong, type Values } from '../field/parse.ts'
import { memberNames, memberOf } from '../json/wide-object.ts'

export interface WireInput {
  readonly fields: Values
  /** A generator that returns the fields, if decoding a field takes long. `fields` is then empty. Undefined if `fields` is complete. */
  readonly late: Steps<Values> | undefined
  /**
   * The item of a batch operation that is called without a list. Its values are coerced but not decoded. Undefined if the call has a list.
   */
  readonly item: Values | undefined
  readonly batchInput: unknown
  readonly partialFailureStatus: number | undefined
  readonly warnings: readonly string[]
}

/** @throws KernelError 404 if a capture is not a valid name, 400 if a value is invalid or has a wrong type. */
export function readInput(op: AnyOperation, captures: Readonly<Record<string, string>>, data: Values): WireInput {
  checkCaptures(op, captures)
  if (!op.batch && op.body !== undefined) return wholeBody(op, op.body, captures, data)
  const all = wireFields(op)
  const rest = op.batch ? undefined : op.rest
  const warnings = rest === undefined ? warningsFor(all, captures, data) : NONE
  const fields: Record<string, unknown> = Object.assign(coerceAll(op.fields, data), captures)
  if (rest !== undefined) fields[rest] = restOf(all, rest, fields[rest], data)
  if (!op.batch) return single(op, fields, warnings)
  const item = coerceAll(op.item, data)
  const partialFailureStatus = op.failedItems === 'counted' ? partialStatus(data) : undefined
  const batchInput = memberOf(data, 'batch_input') ?? undefined
  return {
    fields: decodeAll(op.fields, fields),
    late: undefined,
    // If the call has a list of items, item members at the top level are ignored. An error in their types is reported nevertheless.
    item: batchInput === undefined ? item : undefined,
    batchInput,
    partialFailureStatus,
    warnings,
  }
}

/**
 * Reads the input of an operation whose body is the value of one field. The members of the body are not parameters, so there are no
 * warnings about unknown parameters.
 */
const wholeBody = (op: AnySingle, field: string, captures: Readonly<Record<string, string>>, data: Values): WireInput =>
  single(op, { ...captures, [field]: data }, NONE)

/** Collects the members that belong to no field. @throws KernelError 400 if there are more members than a map may have. */
function restOf(fields: Fields, rest: string, given: unknown, data: Values): Values | undefined {
  const all: Record<string, unknown> = { ...(given as Values | undefined) }
  let count = 0
  for (const name of memberNames(data)) {
    if (Object.hasOwn(fields, name)) continue
    if (++count > MAX_FIELD_MEMBERS) throw invalid(`${rest}: must have at most ${MAX_FIELD_MEMBERS} members`)
    Object.defineProperty(all, name, { value: memberOf(data, name), writable: true, enumerable: true, configurable: true })
  }
  return count === 0 && given === undefined ? undefined : all
}

function single({ fields }: AnySingle, coerced: Values, warnings: readonly string[]): WireInput {
  const long = decodeLong(fields, coerced)
  return {
    fields: long ? NO_FIELDS : decodeAll(fields, coerced),
    late: long && decodeLate(fields, long),
    item: undefined,
    batchInput: undefined,
    partialFailureStatus: undefined,
    warnings,
  }
}

function* decodeLate(fields: Fields, long: Steps<Values>): Steps<Values> {
  return decodeAll(fields, yield* long)
}

const NO_FIELDS: Values = Object.freeze({})

function partialStatus(data: Values): number | undefined {
  const wanted = memberOf(data, PARTIAL) ?? undefined
  return wanted === undefined ? undefined : (PARTIAL_STATUS.coerce(wanted, PARTIAL) as number)
}

/** Collects names for the text of a warning, up to a maximum number. */
class Names {
  readonly #shown: string[] = []

  add(name: string): void {
    if (this.#shown.length < MAX_SHOWN_NAMES) this.#shown.push(name.slice(0, MAX_SHOWN_CHARACTERS))
  }

  warning(sentence: string, more: boolean): readonly string[] {
    if (this.#shown.length === 0) return []
    return [`${sentence}: [${this.#shown.sort().join(' ')}${more ? ' ...' : ''}]`]
  }
}

/** The maximum number of names that are examined for warnings. A body may contain a million names. */
const MAX_NAMES = 1000

const MAX_SHOWN_NAMES = 50

const MAX_SHOWN_CHARACTERS = 100

const NONE: readonly string[] = []

function warningsFor(fields: Fields, captures: Readonly<Record<string, string>>, data: Values): readonly string[] {
  let odd: { readonly unknown: Names; readonly replaced: Names } | undefined
  let left = MAX_NAMES
  for (const name of memberNames(data)) {
    if (left-- === 0) break
    const known = Object.hasOwn(fields, name)
    if (known && !Object.hasOwn(captures, name)) continue
    odd ??= { unknown: new Names(), replaced: new Names() }
    odd[known ? 'replaced' : 'unknown'].add(name)
  }
  if (!odd) return NONE
  const more = left < MAX_NAMES - MAX_SHOWN_NAMES
  return [
    ...odd.unknown.warning('Endpoint ignored these unrecognized parameters', more),
    ...odd.replaced.warning(
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path",
      false,
    ),
  ]
}
