import { invalid } from '../../../core/base/errors.ts'

/**
 * Longer names would exceed the maximum key length of the store: the scheduled rotation of the role has a key that consists of a prefix and
 * the name.
 */
const MAX_NAME_CHARACTERS = 1024

/**
 * Refuses names that are too long for the store, so that the cloud is not called for a role that cannot be stored. @throws KernelError 400
 */
export function assertNameLength(name: string): void {
  if (name.length > MAX_NAME_CHARACTERS) throw invalid(`name: must be at most ${MAX_NAME_CHARACTERS} characters`)
}
