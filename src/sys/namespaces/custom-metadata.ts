/** The custom metadata of a namespace (source: behaviour of the originals). */
import { invalid } from '../../core/base/errors.ts'
import { memberOf, namesOf } from '../../core/json/wide-object.ts'

const MOST = 64
const LONGEST_NAME = 128
const LONGEST_VALUE = 512

/** @throws KernelError 400 for values that are no texts, and for more than a namespace keeps. */
export function checkMetadata(given: object): Readonly<Record<string, string>> {
  const metadata: Record<string, string> = Object.create(null)
  let count = 0
  for (const name of namesOf(given)) {
    const value = memberOf(given, name)
    if (typeof value !== 'string') throw invalid('custom_metadata: values must be strings')
    if (++count > MOST) throw invalid(`custom_metadata: at most ${MOST} names`)
    if (name === '' || name.length > LONGEST_NAME) throw invalid(`custom_metadata: a name has 1 to ${LONGEST_NAME} characters`)
    if (value.length > LONGEST_VALUE) throw invalid(`custom_metadata: a value has at most ${LONGEST_VALUE} characters`)
    metadata[name] = value
  }
  return { ...metadata }
}
