/** Fields whose values are strings: names, paths and words. `fields.ts` documents each field type. */
import { invalid } from '../base/errors.ts'
import { checkPeriod, coerceText, NAME_PATTERN, pass, strictText, typedInt, typedText, validateName } from './coercion.ts'
import { type Builder, buildField } from './field.ts'
import { checkFreePath } from './free-path.ts'

export const nameField = (description: string): Builder<string> =>
  buildField({
    fromTyped: (value, name) => validateName(typedText(value, name), name),
    coerce: coerceText,
    decode: (value, name) => validateName(value as string, name),
    description,
    schema: { type: 'string', pattern: NAME_PATTERN.source },
  })

export const pathField = (description: string): Builder<string> =>
  buildField({
    fromTyped: (value, name) => checkFreePath(typedText(value, name), name),
    coerce: coerceText,
    decode: (value, name) => checkFreePath(value as string, name),
    description,
    schema: { type: 'string' },
  })

export const freeNameField = (description: string): Builder<string> =>
  buildField({
    fromTyped: (value, name) => checkPeriod(checkFreePath(typedText(value, name), name), name),
    coerce: coerceText,
    decode: (value, name) => checkPeriod(checkFreePath(value as string, name), name),
    description,
    schema: { type: 'string' },
  })

export const textField = (description: string): Builder<string> =>
  buildField({
    fromTyped: typedText,
    coerce: coerceText,
    strict: strictText,
    decode: pass<string>,
    description,
    schema: { type: 'string' },
  })

export const strictTextField = (description: string): Builder<string> =>
  buildField({ fromTyped: typedText, coerce: strictText, decode: pass<string>, description, schema: { type: 'string' } })

/**
 * @param aliases Other accepted words, each mapped to the word that replaces it. In calls by path, the word is replaced before the request
 * is authorized.
 */
export function oneOfField<const T extends string>(words: readonly T[], description: string): Builder<T>
export function oneOfField<const T extends string, A extends string>(
  words: readonly T[],
  description: string,
  aliases: Readonly<Record<A, T>>,
): Builder<T, T | A>
export function oneOfField<const T extends string>(
  words: readonly T[],
  description: string,
  aliases?: Readonly<Record<string, T>>,
): Builder<T> {
  const all: readonly string[] = aliases ? [...words, ...Object.keys(aliases)] : words
  const check = (value: string, name: string): T => {
    if ((words as readonly string[]).includes(value)) return value as T
    throw invalid(`${name}: must be one of ${all.map((word) => word || '""').join(', ')}`)
  }
  return buildField({
    aliases,
    fromTyped: (value, name) => check(wordMeant(aliases, typedText(value, name)), name),
    coerce: coerceText,
    strict: strictText,
    decode: (value, name) => check(value as string, name),
    description,
    schema: { type: 'string', enum: all },
  })
}

/** Returns the word for an alias. Returns any other word unchanged. */
export const wordMeant = (aliases: Readonly<Record<string, string>> | undefined, word: string): string =>
  aliases && Object.hasOwn(aliases, word) ? (aliases[word] as string) : word

export const wordField = <T extends string>(description: string): Builder<string, T> =>
  textField(description) as Builder<string, T>

export const wordOrIntField = <T extends string>(description: string): Builder<string, T | number | `${number}`> =>
  buildField({
    fromTyped: (value, name) => (typeof value === 'number' ? String(typedInt(value, name)) : typedText(value, name)),
    coerce: coerceText,
    decode: pass<string>,
    description,
    schema: { type: 'string' },
  })
