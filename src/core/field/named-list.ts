/** Lists of names that restrict something. An empty list means no restriction, so a list that the caller filled must never become empty. */
import { invalid } from '../base/errors.ts'

/**
 * Removes blank names from the list.
 * @throws KernelError 400 if the list contains only blank names, because removing them would remove the restriction that the caller wants.
 */
export function namedList(given: readonly string[], name: string): readonly string[] {
  const named = given.filter((each) => each.trim() !== '')
  if (given.length > 0 && named.length === 0) throw invalid(`${name}: must contain a name; an empty list means no restriction`)
  return named
}
