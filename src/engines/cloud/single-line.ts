import { invalid } from '../../core/base/errors.ts'
import type { Builder } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { checkedField } from '../credentials/checked-field.ts'

/** The maximum length of a parameter: far more than is ever needed. */
const MAX_LINE_CHARACTERS = 4096

const CONTROL_CHARACTER = /\p{Cc}/u

function validateLine(value: string, name: string): string {
  if (value.length > MAX_LINE_CHARACTERS) throw invalid(`${name}: must be at most ${MAX_LINE_CHARACTERS} characters`)
  // Refuse line breaks, because the value becomes part of an HTTP request, in which a line break would begin another header.
  if (CONTROL_CHARACTER.test(value)) throw invalid(`${name}: must not contain control characters`)
  return value
}

/** A field for a string without control characters. */
export const singleLine = (description: string): Builder<string> => checkedField(f.text(description), validateLine)
