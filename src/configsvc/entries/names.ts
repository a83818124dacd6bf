/**
 * The names of entries, and of the services in them.
 */
import { invalid } from '../../core/base/errors.ts'
import { type Member, type Rule, text } from './members/index.ts'
import { checkUnicode } from './members/unicode.ts'

/** So that an id holds a name, and an index entry two of them. */
const LONGEST_NAME = 256

// biome-ignore lint/suspicious/noControlCharactersInRegex: no front may pass them on in a path.
const CONTROL = /[\0-\x1f\x7f]/

/** All services. */
export const WILDCARD = '*'

/** @throws KernelError 400 */
export function anyName(name: string): string {
  if (name === '') throw invalid('Name: is required')
  if (name.length > LONGEST_NAME) throw invalid(`Name: must be at most ${LONGEST_NAME} characters`)
  if (CONTROL.test(name)) throw invalid('Name: must not hold control characters')
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
export const nameOfOther = (rule?: Rule<string>): Member<string> =>
  text({
    rule: (name, path, pace) => {
      if (name.length > LONGEST_NAME) throw invalid(`${path}: must be at most ${LONGEST_NAME} characters`)
      return rule?.(name, path, pace)
    },
  })
