/**
 * From a wire request to coerced input: path captures over body, unknown and replaced parameters warned of
 * (reference: core.md 1.7). Room: core/request. Imported by the path view only.
 */
import { KernelError } from '../errors.ts'
import type { AnyField, Fields } from '../operation/field.ts'
import { f } from '../operation/fields.ts'
import type { AnyOperation } from '../operation/operation.ts'
import { coerceAll, decodeAll, member, type Values } from '../operation/parse.ts'

/** Parameters of every batch operation that only the path view has. */
const BATCH_FIELDS: Fields = {
  batch_input: f.json('Items to work on; when present, the parameters of a single call are not looked at.', { type: 'array' }),
  reference: f.text('Echoed in the matching result; only valid inside batch_input.').optional(),
}
const COUNTED_FIELDS: Fields = {
  ...BATCH_FIELDS,
  partial_failure_response_code: f.int('HTTP status when some but not all items fail.').optional(),
}

export interface WireInput {
  readonly fields: Values
  /** Coerced, not decoded; absent when this is a batch. */
  readonly item: Values | undefined
  readonly batchInput: unknown
  readonly partialFailureStatus: number | undefined
  readonly warnings: readonly string[]
}

/** What an operation takes on the wire. */
export function wireFields(op: AnyOperation): Fields {
  return op.batch ? { ...op.fields, ...op.item, ...(op.failedItems === 'counted' ? COUNTED_FIELDS : BATCH_FIELDS) } : op.fields
}

const known = new WeakMap<AnyOperation, Fields>()

function fieldsOf(op: AnyOperation): Fields {
  const found = known.get(op)
  if (found) return found
  const fields = wireFields(op)
  known.set(op, fields)
  return fields
}

/** @throws KernelError 404 for a capture that is no name, 400 for wrong types and values. */
export function readInput(op: AnyOperation, captures: Readonly<Record<string, string>>, data: Values): WireInput {
  for (const name in captures) checkCapture(op.fields[name] as AnyField, name, captures[name] as string)
  const all = fieldsOf(op)
  const warnings = warningsFor(all, captures, data)
  const fields = { ...coerceAll(op.fields, data), ...captures }
  if (!op.batch)
    return {
      fields: decodeAll(op.fields, fields),
      item: undefined,
      batchInput: undefined,
      partialFailureStatus: undefined,
      warnings,
    }
  const item = coerceAll(op.item, data)
  const partialFailureStatus = op.failedItems === 'counted' ? partialStatus(data) : undefined
  const batchInput = member(data, 'batch_input') ?? undefined
  return {
    fields: decodeAll(op.fields, fields),
    // In a batch the top-level members of an item are nobody's: their types are looked at, their values are not.
    item: batchInput === undefined ? item : undefined,
    batchInput,
    partialFailureStatus,
    warnings,
  }
}

const partialStatus = (data: Values): number | undefined =>
  coerceAll(COUNTED_FIELDS, { partial_failure_response_code: member(data, 'partial_failure_response_code') })[
    'partial_failure_response_code'
  ] as number | undefined

/** A path whose capture breaks the grammar of its field is no path of this engine, whatever the body says. */
function checkCapture(field: AnyField, name: string, value: string): void {
  try {
    field.decode(value, name)
  } catch (error) {
    if (error instanceof KernelError && error.code === 'ERR_UNSUPPORTED_PATH') throw error
  }
}

function warningsFor(fields: Fields, captures: Readonly<Record<string, string>>, data: Values): readonly string[] {
  let unknown: string[] | undefined
  let replaced: string[] | undefined
  let deprecated: string[] | undefined
  for (const name in data) {
    if (!Object.hasOwn(fields, name)) unknown = [...(unknown ?? []), name]
    else if (Object.hasOwn(captures, name)) replaced = [...(replaced ?? []), name]
    else if (fields[name]?.deprecated) deprecated = [...(deprecated ?? []), name]
  }
  if (!unknown && !replaced && !deprecated) return []
  const warnings: string[] = []
  if (unknown) warnings.push(`Endpoint ignored these unrecognized parameters: [${shown(unknown)}]`)
  if (replaced) {
    warnings.push(
      `Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [${shown(replaced)}]`,
    )
  }
  if (deprecated) warnings.push(`These parameters are deprecated: [${shown(deprecated)}]`)
  return warnings
}

/** Names only, sorted, and not without end: a body may hold a million unknown members. */
function shown(names: readonly string[]): string {
  const most = 20
  const list = names
    .slice(0, 1000)
    .sort()
    .slice(0, most)
    .map((name) => name.slice(0, 100))
  return names.length > most ? `${list.join(' ')} and ${names.length - most} more` : list.join(' ')
}
