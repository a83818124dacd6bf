/**
 * Lists that restrict something: an empty one means that there is no restriction, so nothing else may come to an empty one.
 */
import { invalid } from '../base/errors.ts'

/**
 * A list without blank names.
 * @throws KernelError 400 for a list of blank names alone, which would lift the restriction that the caller meant to set.
 */
export function namedList(given: readonly string[], name: string): readonly string[] {
  const named = given.filter((each) => each.trim() !== '')
  if (given.length > 0 && named.length === 0) throw invalid(`${name}: must name something; an empty list means no restriction`)
  return named
}
