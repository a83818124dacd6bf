/**
 * Validates path segments in typed calls and calls by path. A path with an invalid segment does not exist (404), even if other parts of the
 * request are also invalid.
 */
import { KernelError } from '../base/errors.ts'
import { checkPeriod } from '../field/coercion.ts'
import type { AnyField } from '../field/field.ts'
import type { Values } from '../field/parse.ts'
import type { AnyOperation } from './operation.ts'

interface Captures {
  readonly all: readonly string[]
  /**
   * The names of the captures that match exactly one path segment. A capture of several segments is restricted only by the rules of its
   * field, because a secret may have any name.
   */
  readonly segments: readonly string[]
}

const known = new WeakMap<AnyOperation, Captures>()

function capturesOf(operation: AnyOperation): Captures {
  const found = known.get(operation)
  if (found) return found
  const read = readCaptures(operation)
  known.set(operation, read)
  return read
}

const readCaptures = ({ path }: AnyOperation): Captures => ({
  all: [...path.matchAll(/\/[:*+](\w+)/g)].map(([, name]) => name as string),
  segments: [...path.matchAll(/\/:(\w+)/g)].map(([, name]) => name as string),
})

/** The names of the captures that match exactly one segment. */
export const segmentsOf = (operation: AnyOperation): readonly string[] => capturesOf(operation).segments

/** @throws KernelError 404 for a segment that ends in a period. */
export function checkSegments(segments: readonly string[], values: Values): void {
  for (const name of segments) {
    const value = values[name]
    if (typeof value === 'string') checkPeriod(value, name)
  }
}

/**
 * @throws KernelError 404 for a capture that violates the rules of its field, or that must be a single segment and ends in a period. Other
 * invalid parameters are refused later.
 */
export function checkCaptures(operation: AnyOperation, values: Values): void {
  const { all, segments } = capturesOf(operation)
  for (const name of all) {
    const value = values[name]
    if (typeof value === 'string') checkPath(operation.fields[name], name, value)
  }
  checkSegments(segments, values)
}

function checkPath(field: AnyField, name: string, value: string): void {
  try {
    field.decode(value, name)
  } catch (error) {
    if (error instanceof KernelError && error.code === 'ERR_UNSUPPORTED_PATH') throw error
  }
}
