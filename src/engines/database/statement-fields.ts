/**
 * Lists of statements.
 */
import { type Builder, buildField } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'

/** Texts, each trimmed; one text is the only one, whatever is in it, and an empty one is none at all. */
export function statements(description: string): Builder<readonly string[]> {
  const texts = f.texts(description)
  return buildField({
    ...texts,
    coerce: (raw, name) => (raw === '' ? [] : texts.coerce(raw, name)),
    strict: texts.strict,
    decode: (value) => (value as readonly string[]).map((text) => text.trim()),
  })
}
