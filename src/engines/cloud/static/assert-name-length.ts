/**
 * Names of static roles that the store does not take are refused before anything is asked of the cloud.
 */
import { invalid } from '../../../core/base/errors.ts'

/** Characters: the longest, with all that stands before it in keys of the store and of its due index. */
const MAX_NAME_CHARACTERS = 1024

/** @throws KernelError 400 */
export function assertNameLength(name: string): void {
  if (name.length > MAX_NAME_CHARACTERS) throw invalid(`name: must be at most ${MAX_NAME_CHARACTERS} characters`)
}
