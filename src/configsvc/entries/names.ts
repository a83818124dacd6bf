/**
 * The names of entries, and of the services in them.
 */
import { invalid } from '../../core/base/errors.ts'
import { type EntryMember, type MemberRule, text } from './members/index.ts'
import { checkUnicode } from './members/unicode.ts'

/** So that an id holds a name, and an index entry two of them. */
const MAX_NAME_CHARACTERS = 256

// biome-ignore lint/suspicious/noControlCharactersInRegex: no front may pass them on in a path.
const CONTROL_CHARACTERS = /[\0-\x1f\x7f]/

/** All services. */
export const WILDCARD = '*'

/** @throws KernelError 400 */
export function anyName(name: string): string {
  if (name === '') throw invalid('Name: is required')
  if (name.length > MAX_NAME_CHARACTERS) throw invalid(`Name: must be at most ${MAX_NAME_CHARACTERS} characters`)
  if (CONTROL_CHARACTERS.test(name)) throw invalid('Name: must not hold control characters')
  return checkUnicode(name, 'Name')
}

/** @throws KernelError 400 */
export function serviceName(name: string): string {
  if (name === WILDCARD) throw invalid('Name: must be the name of one service, not the wildcard "*"')
  return anyName(name)
}

/** Of kinds that have one entry, whose name may be left out. @throws KernelError 400 */
export const onlyName =
  (only: string) =>
  (name: string): string => {
    if (name === '' || name === only) return only
    throw invalid(`Name: the only entry of this kind is named "${only}"`)
  }

/** The name of a service that an entry refers to, or of another entry; whether it may be empty or the wildcard the entry's rules say. */
export const nameOfOther = (rule?: MemberRule<string>): EntryMember<string> =>
  text({
    rule: (name, path, pace) => {
      if (name.length > MAX_NAME_CHARACTERS) throw invalid(`${path}: must be at most ${MAX_NAME_CHARACTERS} characters`)
      return rule?.(name, path, pace)
    },
  })
