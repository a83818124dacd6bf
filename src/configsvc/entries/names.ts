/** The names of entries, and of services in entries. */
import { invalid } from '../../core/base/errors.ts'
import { type EntryMember, type MemberRule, text } from './members/index.ts'
import { checkUnicode } from './members/unicode.ts'

/** A record id contains a name, and the id of an index record two of them. */
const MAX_NAME_CHARACTERS = 256

// biome-ignore lint/suspicious/noControlCharactersInRegex: proxies may refuse control characters in paths.
const CONTROL_CHARACTERS = /[\0-\x1f\x7f]/

/** All services. */
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

/** For kinds with a single entry, whose name may be absent. @throws KernelError 400 */
export const onlyName =
  (only: string) =>
  (name: string): string => {
    if (name === '' || name === only) return only
    throw invalid(`Name: must be "${only}", the only entry of this kind`)
  }

/** The name of a service or entry that an entry refers to. Whether it may be empty or the wildcard depends on the kind's rules. */
export const nameOfOther = (rule?: MemberRule<string>): EntryMember<string> =>
  text({
    rule: (name, path, pace) => {
      if (name.length > MAX_NAME_CHARACTERS) throw invalid(`${path}: must be at most ${MAX_NAME_CHARACTERS} characters`)
      return rule?.(name, path, pace)
    },
  })
