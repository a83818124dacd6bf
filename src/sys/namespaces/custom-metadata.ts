/** The custom metadata of a namespace, as in Vault. */
import { invalid } from '../../core/base/errors.ts'
import { memberNames, memberOf } from '../../core/json/wide-object.ts'

const MAX_MEMBERS = 64
const MAX_NAME_CHARACTERS = 128
const MAX_VALUE_CHARACTERS = 512

/** @throws KernelError 400 for values that are not strings, and above the limits. */
export function checkMetadata(given: object): Readonly<Record<string, string>> {
  const metadata: Record<string, string> = Object.create(null)
  let count = 0
  for (const name of memberNames(given)) {
    const value = memberOf(given, name)
    if (typeof value !== 'string') throw invalid('custom_metadata: values must be strings')
    if (++count > MAX_MEMBERS) throw invalid(`custom_metadata: must have at most ${MAX_MEMBERS} names`)
    if (name === '' || name.length > MAX_NAME_CHARACTERS)
      throw invalid(`custom_metadata: a name must have 1 to ${MAX_NAME_CHARACTERS} characters`)
    if (value.length > MAX_VALUE_CHARACTERS)
      throw invalid(`custom_metadata: a value must have at most ${MAX_VALUE_CHARACTERS} characters`)
    metadata[name] = value
  }
  return { ...metadata }
}
