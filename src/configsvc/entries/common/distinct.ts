/**
 * Lists in which nothing may come twice.
 */
import { invalid, type KernelError } from '../../../core/base/errors.ts'
import { foldName } from '../../../core/base/fold-name.ts'
import type { Pace, Steps } from '../../../core/base/steps.ts'
import { quotedValue } from '../members/index.ts'

const KEY_MICROSECONDS = 2

/** The members that tell one item from another. The first one names the item. */
export type ItemIdentity = Readonly<Record<string, string | number | undefined>>

const shownValue = (value: string | number | undefined): string =>
  typeof value === 'number' ? `${value}` : quotedValue(value ?? '')

/** The refusal of a value that is there already. @param path With the member's name. */
export const duplicateValue = (path: string, value: string | number | undefined, more = ''): KernelError =>
  invalid(`${path}: ${shownValue(value)} is used twice${more}`)

/** The refusal of an item whose members are those of an earlier item. */
export function duplicateItem(path: string, identity: ItemIdentity, rule = ''): KernelError {
  const [[name, value] = ['', ''], ...others] = Object.entries(identity)
  const given = others.filter(([, other]) => other !== undefined && other !== '')
  const more = given.map(([other, same]) => `${other} ${shownValue(same)}`).join(', ')
  return duplicateValue(`${path}.${name}`, value, (more && ` with ${more}`) + rule)
}

/**
 * @param foldsName Whether `Name` is compared in any case.
 * @throws KernelError 400 that names the member and its value.
 */
export function* checkDistinct<T>(
  items: readonly T[],
  identityOf: (item: T) => ItemIdentity,
  path: string,
  pace: Pace,
  foldsName = false,
): Steps<void> {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    if (pace.spend(KEY_MICROSECONDS)) yield
    const identity = identityOf(item)
    const { Name } = identity
    const key = JSON.stringify(foldsName && typeof Name === 'string' ? { ...identity, Name: foldName(Name) } : identity)
    if (seen.has(key)) throw duplicateItem(`${path}[${index}]`, identity)
    seen.add(key)
  }
}
