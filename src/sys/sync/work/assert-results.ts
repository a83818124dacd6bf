/**
 * Validates the results of a destination's methods. After an invalid result it is unknown whether the call had an effect, so it counts as
 * failed.
 */
import type { SyncDescription, SyncPutResult } from '../port.ts'

const MAX_VERSION_LENGTH = 512

const isFlag = (value: unknown): boolean => value === undefined || typeof value === 'boolean'

const isVersion = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value !== '' && value.length <= MAX_VERSION_LENGTH)

/** @throws TypeError */
export function assertPutResult(result: SyncPutResult | undefined): SyncPutResult {
  if (typeof result?.created !== 'boolean' || !isVersion(result.externalVersion))
    throw new TypeError(
      'put: must resolve an object with the boolean `created`; `externalVersion` must be absent or a string of 1 to 512 characters',
    )
  return result
}

/** @throws TypeError */
export function assertRemoval(result: { readonly existed: boolean } | undefined): void {
  if (typeof result?.existed !== 'boolean') throw new TypeError('remove: must resolve an object with the boolean `existed`')
}

/** @throws TypeError */
export function assertDescription(found: SyncDescription | undefined): SyncDescription {
  const isSound =
    typeof found?.exists === 'boolean' && isFlag(found.managed) && isFlag(found.foreign) && isVersion(found.externalVersion)
  if (!isSound)
    throw new TypeError(
      'describe: must resolve a SyncDescription; `exists` is required, and every other member must be absent or of its type',
    )
  return found as SyncDescription
}
