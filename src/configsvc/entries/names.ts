/** Validates the names of entries, and names of services in entries. */
import { invalid } from '../../core/base/errors.ts'
import { type EntryMember, type MemberRule, text } from './members/index.ts'
import { checkUnicode } from './members/unicode.ts'

/** Names are limited because the ids of records contain them: the id of an index record contains two names. */
const MAX_NAME_CHARACTERS = 256

// biome-ignore lint/suspicious/noControlCharactersInRegex: proxies may refuse paths with control characters.
const CONTROL_CHARACTERS = /[\0-\x1f\x7f]/

/** The wildcard: all services. */
export const WILDCARD = '*'

/** @throws KernelError 400 */
export function anyName(name: string): string {
  if (name === '') throw invalid('Name: is required')
  if (name.length > MAX_NAME_CHARACTERS) throw invalid(`Name: must be at most ${MAX_NAME_CHARACTERS} characters`)
  if (CONTROL_CHARACTERS.test(name)) throw invalid('Name: must not contain control characters')
  return checkUnicode(name, 'Name')
}

/** @throws KernelError 400 */
export function serviceName(name: string): string {
  if (name === WILDCARD) throw invalid('Name: must be the name of one service, not the wildcard "*"')
  return anyName(name)
}

/** Validates the name of a kind's only entry, and returns that name if none is given. @throws KernelError 400 */
export const onlyName =
  (only: string) =>
  (name: string): string => {
    if (name === '' || name === only) return only
    throw invalid(`Name: must be "${only}", the only entry of this kind`)
  }

/** The name of a service or entry to which an entry refers. The rules of the kind decide whether it may be empty or the wildcard. */
export const nameOfOther = (rule?: MemberRule<string>): EntryMember<string> =>
  text({
    rule: (name, path, pace) => {
      if (name.length > MAX_NAME_CHARACTERS) throw invalid(`${path}: must be at most ${MAX_NAME_CHARACTERS} characters`)
      return rule?.(name, path, pace)
    },
  })
