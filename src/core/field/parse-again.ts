/** Parses input that another cluster claims to have validated. The claim is not trusted: every field validates its value again. */
import type { Steps } from '../base/steps.ts'
import type { AnyField, Fields } from './field.ts'
import { fieldList, type Values } from './parse.ts'

/**
 * Uses the rules of typed calls, because they accept every value that the parsing of a typed call produces. @throws TypeError and
 * KernelError like `parseTyped`.
 */
export function* parseAgain(fields: Fields, given: Values): Steps<Values> {
  for (const name of Object.keys(given)) if (!Object.hasOwn(fields, name)) throw new TypeError(`${name}: unknown argument`)
  const input: Record<string, unknown> = {}
  for (const [name, field] of fieldList(fields)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined || (value === null && !field.nullable) || value === field.fallback) {
      if (field.required) throw new TypeError(`${name}: is required`)
      input[name] = field.fallback
    } else input[name] = isDocument(field) ? yield* documentOf(field, value, name) : field.fromTyped(value, name)
  }
  return input
}

/** The input contains the document as text, but `fromTyped` requires an object, so validate the text here. */
const isDocument = ({ sentSteps, decodeSteps }: AnyField): boolean => sentSteps !== undefined && decodeSteps !== undefined

function* documentOf({ sentSteps, decodeSteps, coerce }: AnyField, text: unknown, name: string): Steps<unknown> {
  if (typeof text !== 'string') throw new TypeError(`${name}: must be a document`)
  const object = coerce(yield* (sentSteps as NonNullable<typeof sentSteps>)(text), name)
  return yield* (decodeSteps as NonNullable<typeof decodeSteps>)(object, name)
}
