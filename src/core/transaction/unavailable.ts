/** Converts a storage failure to a KernelError whose message reports the failure. */
import { KernelError } from '../base/errors.ts'
import type { Storage, StorageFailure } from '../storage/port.ts'

/** How many errors of a chain of `cause` members the storage examines at most: the error itself and its first causes. */
const MAX_CAUSES = 5

/** @param outcome Whether the call had an effect, such as `nothing was changed`. */
export function unavailable(error: unknown, storage: Storage, outcome = 'nothing is known to have changed'): KernelError {
  if (error instanceof KernelError) return error
  return new KernelError('ERR_UNAVAILABLE', `${sentenceOf(failureOf(error, storage))}; ${outcome}`, { cause: error })
}

function sentenceOf(failure: StorageFailure | undefined): string {
  if (failure?.remedy !== undefined)
    return `the storage refused the call: ${failure.reported}; this is not an outage: ${failure.remedy}`
  return `the storage failed or cannot be reached${failure ? `: ${failure.reported}` : ''}`
}

/** Returns the storage's description of the error. If the storage does not recognize the error, describes its first recognized cause. */
function failureOf(error: unknown, storage: Storage): StorageFailure | undefined {
  let each = error
  for (let count = 0; count < MAX_CAUSES && each instanceof Error; count++) {
    const failure = storage.describeFailure?.(each)
    if (failure) return failure
    each = each.cause
  }
  return undefined
}
