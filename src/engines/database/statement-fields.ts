/**
 * Lists of statements.
 */
import { invalid } from '../../core/base/errors.ts'
import { type Builder, buildField } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'

/** Characters of one list. They are read by the character whenever they are run. */
const MAX_STATEMENTS_CHARACTERS = 131_072

function assertLength(texts: readonly string[], name: string): readonly string[] {
  if (texts.reduce((sum, text) => sum + text.length, 0) > MAX_STATEMENTS_CHARACTERS)
    throw invalid(`${name}: all statements together are longer than ${MAX_STATEMENTS_CHARACTERS} characters`)
  return texts
}

/** Texts, each trimmed; one text is the only one, whatever is in it, and an empty one is none at all. At most 131,072 characters together. */
export function statements(description: string): Builder<readonly string[]> {
  const texts = f.texts(description)
  return buildField({
    ...texts,
    fromTyped: (value, name) => assertLength(texts.fromTyped(value, name), name),
    coerce: (raw, name) => (raw === '' ? [] : texts.coerce(raw, name)),
    strict: texts.strict,
    decode: (value, name) => assertLength(value as readonly string[], name).map((text) => text.trim()),
  })
}
