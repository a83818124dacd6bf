/**
 * Converts a storage failure to a KernelError.
 */
import { KernelError } from '../base/errors.ts'

export function unavailable(error: unknown): KernelError {
  if (error instanceof KernelError) return error
  return new KernelError('ERR_UNAVAILABLE', 'the storage failed or cannot be reached; nothing is known to have changed', {
    cause: error,
  })
}
