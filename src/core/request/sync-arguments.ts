/**
 * Parses the arguments of synchronous methods. The main argument is passed separately; the others are passed by name or were fixed when the
 * handle was created.
 */
import { KernelError } from '../base/errors.ts'
import { checkCaptures, checkSegments, segmentsOf } from '../contract/captures.ts'
import type { AnyBatch } from '../contract/operation.ts'
import type { SyncMethod } from '../contract/sync-call.ts'
import { parseTyped, type TypedTable, typedTable, type Values } from '../field/parse.ts'

export const NO_OPTIONS: Values = Object.freeze({})

/**
 * Parses the arguments of a synchronous call. @param most The maximum total size of all strings and byte arrays. @throws the same errors as
 * the asynchronous method of that name, and KernelError 413 if the arguments are larger than `most`.
 */
type SyncArguments = (value: unknown, options: Values, most: number) => Values

export function syncArguments({ operation, fixed, firstParameter: first, omitted: without = [] }: SyncMethod): SyncArguments {
  const { fields, fallbacks, required } = typedTable({ ...operation.fields, ...operation.item })
  const own = new Set([first, ...Object.keys(fixed), ...without])
  const table: TypedTable = {
    fields: new Map([...fields].filter(([name]) => !own.has(name))),
    fallbacks: { ...fallbacks, ...fixedValues(operation, fields, fixed) },
    required: required.filter((name) => !own.has(name)),
    late: [],
    lent: [],
  }
  const field = fields.get(first)
  const isRequired = required.includes(first)
  const segments = segmentsOf(operation).filter((name) => !own.has(name))
  const alone = [first]
  const sized = [first, ...table.fields.keys()]
  const parsed = (value: unknown, options: Values): Values => {
    try {
      const input = (
        options === NO_OPTIONS ? { ...table.fallbacks } : parseTyped(table, options, Number.POSITIVE_INFINITY)
      ) as Record<string, unknown>
      if (value !== undefined && value !== null) input[first] = field?.fromTyped(value, first)
      else if (isRequired) throw new TypeError(`${first}: is required`)
      if (segments.length > 0) checkSegments(segments, input)
      return input
    } catch (error) {
      // If a value cannot be part of the path, throw that error (404) instead.
      if (error instanceof KernelError) checkCaptures(operation, options)
      throw error
    }
  }
  return (value, options, most) => {
    const input = parsed(value, options)
    checkSize(options === NO_OPTIONS ? alone : sized, input, most)
    return input
  }
}

/** Parses the values that were fixed when the handle was created. @throws the same errors as the asynchronous method for these values. */
function fixedValues(operation: AnyBatch, fields: TypedTable['fields'], fixed: Values): Values {
  try {
    const kept = Object.fromEntries(
      Object.entries(fixed).map(([name, value]) => [name, fields.get(name)?.fromTyped(value, name)]),
    )
    checkSegments(segmentsOf(operation), kept)
    return kept
  } catch (error) {
    if (error instanceof KernelError) checkCaptures(operation, fixed)
    throw error
  }
}

/** @throws KernelError 413 */
function checkSize(names: readonly string[], input: Values, most: number): void {
  let size = 0
  for (const name of names) {
    const value = input[name]
    if (typeof value === 'string' || value instanceof Uint8Array) size += value.length
  }
  if (size <= most) return
  throw new KernelError(
    'ERR_REQUEST_TOO_LARGE',
    `${names[0]}: a synchronous call takes at most ${most} bytes; use the asynchronous method`,
    { details: { most } },
  )
}
