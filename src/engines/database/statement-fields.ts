import { invalid } from '../../core/base/errors.ts'
import { type Builder, buildField } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { checkedField } from '../credentials/checked-field.ts'

/**
 * The maximum length of all statements in one list. It is limited because the statements are scanned character by character at each use.
 */
const MAX_STATEMENTS_CHARACTERS = 131_072

function assertLength(texts: readonly string[], name: string): readonly string[] {
  if (texts.reduce((sum, text) => sum + text.length, 0) > MAX_STATEMENTS_CHARACTERS)
    throw invalid(`${name}: must have at most ${MAX_STATEMENTS_CHARACTERS} characters in total`)
  return texts
}

/**
 * A field for a list of statements, at most 131,072 characters in total. Each statement is trimmed. A single string is one list entry, even
 * if it contains commas; an empty string is an empty list.
 */
export function statements(description: string): Builder<readonly string[]> {
  const texts = checkedField(f.texts(description), assertLength)
  return buildField({
    ...texts,
    coerce: (raw, name) => (raw === '' ? [] : texts.coerce(raw, name)),
    decode: (value, name) => texts.decode(value, name).map((text) => text.trim()),
  })
}
