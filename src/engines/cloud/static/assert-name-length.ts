import { invalid } from '../../../core/base/errors.ts'

/**
 * With a longer name, the scheduled rotation of the role could not be stored: its storage key consists of a prefix and the name, and the
 * length of storage keys is limited.
 */
const MAX_NAME_CHARACTERS = 1024

/**
 * Refuses names that are too long for the store, so that the cloud is not called for a role that cannot be stored. @throws KernelError 400
 */
export function assertNameLength(name: string): void {
  if (name.length > MAX_NAME_CHARACTERS) throw invalid(`name: must be at most ${MAX_NAME_CHARACTERS} characters`)
}
