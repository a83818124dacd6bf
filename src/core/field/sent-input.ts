/** Prepares the input of an operation to be sent to another cluster. The other cluster reads it with `parseAgain`. */
import type { AnyField, Fields } from './field.ts'
import { fieldList, type Values } from './parse.ts'

/** Documents are sent as text. */
const isSentAsText = ({ sentSteps }: AnyField): boolean => sentSteps !== undefined

/** Returns the values of the fields in the table, without values that are equal to the field's fallback. */
export function sentInput(fields: Fields, input: Values): Values {
  const sent: Record<string, unknown> = {}
  for (const [name, field] of fieldList(fields)) {
    const value = input[name]
    if (value === undefined || value === field.fallback) continue
    sent[name] = field.sent && !isSentAsText(field) ? field.sent(value) : value
  }
  return sent
}
