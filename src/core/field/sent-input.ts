/**
 * The input of an operation in a form that can be sent to another cluster, which parses it with `parseAgain`.
 */
import type { AnyField, Fields } from './field.ts'
import { fieldList, type Values } from './parse.ts'

/** Documents are sent as their text. */
const isSentAsText = ({ sentSteps }: AnyField): boolean => sentSteps !== undefined

/** Only the fields of the table, and of those only what differs from the fallback. */
export function sentInput(fields: Fields, input: Values): Values {
  const sent: Record<string, unknown> = {}
  for (const [name, field] of fieldList(fields)) {
    const value = input[name]
    if (value === undefined || value === field.fallback) continue
    sent[name] = field.sent && !isSentAsText(field) ? field.sent(value) : value
  }
  return sent
}
