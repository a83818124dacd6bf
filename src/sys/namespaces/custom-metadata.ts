/** The custom metadata of a namespace, as in Vault. */
import { invalid } from '../../core/base/errors.ts'
import { memberOf, namesOf } from '../../core/json/wide-object.ts'

const MOST = 64
const LONGEST_NAME = 128
const LONGEST_VALUE = 512

/** @throws KernelError 400 for values that are not strings, and above the limits. */
export function checkMetadata(given: object): Readonly<Record<string, string>> {
  const metadata: Record<string, string> = Object.create(null)
  let count = 0
  for (const name of namesOf(given)) {
    const value = memberOf(given, name)
    if (typeof value !== 'string') throw invalid('custom_metadata: values must be strings')
    if (++count > MOST) throw invalid(`custom_metadata: must have at most ${MOST} names`)
    if (name === '' || name.length > LONGEST_NAME)
      throw invalid(`custom_metadata: a name must have 1 to ${LONGEST_NAME} characters`)
    if (value.length > LONGEST_VALUE) throw invalid(`custom_metadata: a value must have at most ${LONGEST_VALUE} characters`)
    metadata[name] = value
  }
  return { ...metadata }
}
