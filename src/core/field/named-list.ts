/** Lists that restrict something. An empty list means no restriction, so no other list may become empty by accident. */
import { invalid } from '../base/errors.ts'

/**
 * The list without blank names.
 * @throws KernelError 400 for a list of only blank names, which would remove the restriction that the caller wanted.
 */
export function namedList(given: readonly string[], name: string): readonly string[] {
  const named = given.filter((each) => each.trim() !== '')
  if (given.length > 0 && named.length === 0) throw invalid(`${name}: must contain a name; an empty list means no restriction`)
  return named
}
