/**
 * Parameters that are a text on one line.
 */
import { invalid } from '../../core/base/errors.ts'
import { type Builder, buildField } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'

/** Characters: far more than any of these has. */
const MAX_LINE_CHARACTERS = 4096

const CONTROL_CHARACTER = /\p{Cc}/u

function validateLine(value: string, name: string): string {
  if (value.length > MAX_LINE_CHARACTERS) throw invalid(`${name}: is longer than ${MAX_LINE_CHARACTERS} characters`)
  // They become parts of requests, where a line break would begin another header.
  if (CONTROL_CHARACTER.test(value)) throw invalid(`${name}: must not hold control characters`)
  return value
}

/** A text on one line. */
export function singleLine(description: string): Builder<string> {
  const text = f.text(description)
  return buildField({
    ...text,
    fromTyped: (value, name) => validateLine(text.fromTyped(value, name), name),
    strict: text.strict,
    decode: (value, name) => validateLine(value as string, name),
  })
}
