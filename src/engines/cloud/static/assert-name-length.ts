/**
 * Names of static roles that the store does not take are refused before anything is asked of the cloud.
 */
import { invalid } from '../../../core/base/errors.ts'

/** Characters: the longest, with all that stands before it in keys of the store and of its due index. */
const LONGEST = 1024

/** @throws KernelError 400 */
export function assertNameLength(name: string): void {
  if (name.length > LONGEST) throw invalid(`name: must be at most ${LONGEST} characters`)
}
