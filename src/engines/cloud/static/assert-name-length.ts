import { invalid } from '../../../core/base/errors.ts'

/** Longer names would exceed the maximum key length of the store, in which the due index adds a prefix. */
const MAX_NAME_CHARACTERS = 1024

/** Refuses names that the store cannot save, before the cloud is called. @throws KernelError 400 */
export function assertNameLength(name: string): void {
  if (name.length > MAX_NAME_CHARACTERS) throw invalid(`name: must be at most ${MAX_NAME_CHARACTERS} characters`)
}
