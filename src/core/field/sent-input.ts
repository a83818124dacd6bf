/** Prepares the input of an operation for sending to another cluster, which reads it with `parseAgain`. */
import type { AnyField, Fields } from './field.ts'
import { fieldList, type Values } from './parse.ts'

/** Documents are sent as text. */
const isSentAsText = ({ sentSteps }: AnyField): boolean => sentSteps !== undefined

/** Includes only the table's fields, and only values that differ from the fallback. */
export function sentInput(fields: Fields, input: Values): Values {
  const sent: Record<string, unknown> = {}
  for (const [name, field] of fieldList(fields)) {
    const value = input[name]
    if (value === undefined || value === field.fallback) continue
    sent[name] = field.sent && !isSentAsText(field) ? field.sent(value) : value
  }
  return sent
}
