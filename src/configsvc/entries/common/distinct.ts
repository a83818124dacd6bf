/** Rules against duplicates in lists. */
import { invalid, type KernelError } from '../../../core/base/errors.ts'
import { foldName } from '../../../core/base/fold-name.ts'
import { quotedValue } from '../members/index.ts'

/** The members that identify an item. Error messages name the first one. */
export type ItemIdentity = Readonly<Record<string, string | number | undefined>>

const shownValue = (value: string | number | undefined): string =>
  typeof value === 'number' ? `${value}` : quotedValue(value ?? '')

/** The error for a duplicate value. @param path Includes the name of the member. */
export const duplicateValue = (path: string, value: string | number | undefined, more = ''): KernelError =>
  invalid(`${path}: ${shownValue(value)} is used twice${more}`)

/** The error for an item whose identity equals that of an earlier item. */
export function duplicateItem(path: string, identity: ItemIdentity, rule = ''): KernelError {
  const [[name, value] = ['', ''], ...others] = Object.entries(identity)
  const given = others.filter(([, other]) => other !== undefined && other !== '')
  const more = given.map(([other, same]) => `${other} ${shownValue(same)}`).join(', ')
  return duplicateValue(`${path}.${name}`, value, (more && ` with ${more}`) + rule)
}

/**
 * @param foldsName Whether `Name` is compared regardless of case.
 * @throws KernelError 400 that names the member and its value.
 */
export function checkDistinct<T>(
  items: readonly T[],
  identityOf: (item: T) => ItemIdentity,
  path: string,
  foldsName = false,
): void {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const identity = identityOf(item)
    const { Name } = identity
    const key = JSON.stringify(foldsName && typeof Name === 'string' ? { ...identity, Name: foldName(Name) } : identity)
    if (seen.has(key)) throw duplicateItem(`${path}[${index}]`, identity)
    seen.add(key)
  }
}
