/** Rules about members that exclude or require each other. */
import { invalid } from '../../../core/base/errors.ts'

/** Filters `names`: keeps only names of members that `value` has. */
export const presentMembers = (value: object, names: readonly string[]): readonly string[] =>
  names.filter((name) => (value as Readonly<Record<string, unknown>>)[name] !== undefined)

/** @throws KernelError 400 */
export function checkAtMostOne(value: object, names: readonly string[], path: string): void {
  const found = presentMembers(value, names)
  if (found.length > 1) throw invalid(`${path}: at most one of ${names.join(', ')} may be given, not ${found.join(' and ')}`)
}

/** @throws KernelError 400 */
export function checkExactlyOne(value: object, names: readonly string[], path: string): void {
  const found = presentMembers(value, names)
  if (found.length === 1) return
  throw invalid(`${path}: exactly one of ${names.join(', ')} must be given, not ${found.join(' and ') || 'none'}`)
}

/** @throws KernelError 400 if `value` has the member `one` and also any of the members in `others`. */
export function checkExclusive(value: object, one: string, others: readonly string[], path: string): void {
  const [found] = presentMembers(value, [one]).length > 0 ? presentMembers(value, others) : []
  if (found !== undefined) throw invalid(`${path}.${one}: must not be given together with ${found}`)
}

/** @throws KernelError 400 if `value` has any of the given members but not the member `needed`. */
export function checkRequires(value: object, members: readonly string[], needed: string, path: string): void {
  const [found] = presentMembers(value, [needed]).length > 0 ? [] : presentMembers(value, members)
  if (found !== undefined) throw invalid(`${path}.${found}: requires ${needed}`)
}
