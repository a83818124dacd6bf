/** The custom metadata of a secret. Rules and messages are Vault's. */
import { invalid, type KernelError } from '../../../core/base/errors.ts'
import { texts } from '../../../core/base/texts.ts'
import { f } from '../../../core/field/fields.ts'
import { memberNames, memberOf } from '../../../core/json/wide-object.ts'

export type CustomMetadata = Readonly<Record<string, string>>

const MAX_ENTRIES = 64
const MAX_NAME_BYTES = 128
const MAX_VALUE_BYTES = 512
/** The maximum number of errors in a message, so that a large request does not cause a large answer. */
const MAX_REPORTED_ERRORS = 64
const PREFIX = 'custom_metadata validation failed:'

/** Converts a number or boolean to a string. */
const text = f.text('')

/** Matches printable characters of any script. The only white space among them is the space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u

/**
 * Returns custom metadata as a map from names to strings. Numbers and booleans become strings. Null is kept: in a patch, it removes the
 * entry.
 * @throws KernelError 400 if a value is an array or an object
 */
export function customTexts(given: object): ReadonlyMap<string, string | null> {
  const texts = new Map<string, string | null>()
  for (const name of memberNames(given)) {
    const value = memberOf(given, name)
    if (typeof value === 'object' && value !== null) throw invalid(`${PREFIX} the value of ${quotedName(name)} must be a string`)
    texts.set(name, value === null ? null : (text.coerce(value, 'custom_metadata') as string))
  }
  return texts
}

/** @throws KernelError 400 that lists the errors. @returns null if there are no entries */
export function checkCustom(texts: ReadonlyMap<string, string | null>): CustomMetadata | null {
  const errors: string[] = []
  if (texts.size > MAX_ENTRIES) errors.push(`payload must contain at most ${MAX_ENTRIES} keys, provided ${texts.size}`)
  for (const [name, value] of texts) {
    if (errors.length >= MAX_REPORTED_ERRORS) break
    errors.push(...lengthError(`key ${quotedName(name)}`, name, 'key', MAX_NAME_BYTES))
    if (!PRINTABLE.test(name)) errors.push(`key ${quotedName(name)} contains unprintable characters`)
    errors.push(...lengthError(`value for key ${quotedName(name)}`, value ?? '', 'value', MAX_VALUE_BYTES))
    if (!PRINTABLE.test(value ?? '')) errors.push(`value for key ${quotedName(name)} contains unprintable characters`)
  }
  if (errors.length > 0) throw refusal(errors)
  return texts.size === 0 ? null : (Object.fromEntries(texts) as CustomMetadata)
}

/** Lengths are counted in bytes of UTF-8. */
function lengthError(what: string, text: string, word: string, most: number): readonly string[] {
  const length = texts.byteLength(text)
  return length > 0 && length <= most ? [] : [`length of ${what} is ${length} but must be 0 < len(${word}) <= ${most}`]
}

const quotedName = (name: string): string => JSON.stringify(name.slice(0, MAX_NAME_BYTES + 1))

function refusal(errors: readonly string[]): KernelError {
  const lines = errors.map((text) => `\t* ${PREFIX} ${text}\n`).join('')
  return invalid(`${errors.length} error${errors.length === 1 ? '' : 's'} occurred:\n${lines}\n`)
}
