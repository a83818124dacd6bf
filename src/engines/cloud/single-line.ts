/**
 * Parameters that are a text on one line.
 */
import { invalid } from '../../core/base/errors.ts'
import { type Builder, buildField } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'

/** Characters: far more than any of these has. */
const LONGEST = 4096

const CONTROL = /\p{Cc}/u

function checked(value: string, name: string): string {
  if (value.length > LONGEST) throw invalid(`${name}: is longer than ${LONGEST} characters`)
  // They become parts of requests, where a line break would begin another header.
  if (CONTROL.test(value)) throw invalid(`${name}: must not hold control characters`)
  return value
}

/** A text on one line. */
export function singleLine(description: string): Builder<string> {
  const text = f.text(description)
  return buildField({
    ...text,
    fromTyped: (value, name) => checked(text.fromTyped(value, name), name),
    strict: text.strict,
    decode: (value, name) => checked(value as string, name),
  })
}
