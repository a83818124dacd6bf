/**
 * Decides which external secrets belong to an association. An existing name is replaced or removed only if it has the mark of the
 * association or, in an external store without marks, if the record of the association shows that it created the name.
 */
import { toUtf8 } from '../../../core/base/bytes.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import type { CryptoBackend } from '../../../core/crypto/backend.ts'
import { STORE_TYPES } from '../destination/store-types.ts'
import type { SyncDescription, SyncPutMode } from '../port.ts'
import { readDestinationId, type SyncDestinationRecord, type SyncRow } from '../records.ts'

const OWNER_DIGITS = 32

const digest = (crypto: CryptoBackend, parts: readonly unknown[]): string =>
  toHex(crypto.hash('sha2-256').digest(toUtf8(JSON.stringify(parts)))).slice(0, OWNER_DIGITS)

/**
 * Returns the value of the ownership mark for an association id. The id contains the random UUIDs of the namespace and the mount, so two
 * installations never have the same mark. The mark is unchanged after a failover, after a restore, and if the association is removed and
 * set again.
 */
export const ownerOf = (crypto: CryptoBackend, association: string): string => digest(crypto, ['sync owner', association])

/** Returns a digest of all parameters of a destination except the credentials. It identifies the external store and the place in it. */
export function storeLocationOf(crypto: CryptoBackend, destination: string, { config }: SyncDestinationRecord): string {
  const { masked } = STORE_TYPES[readDestinationId(destination).type]
  const shown = Object.entries(config).filter(([field]) => !masked.includes(field))
  return digest(crypto, ['sync place', shown.sort(([a], [b]) => (a < b ? -1 : 1))])
}

interface StoreLocation {
  /** The location to which the destination writes, as computed by {@link storeLocationOf}. */
  readonly place: string
  /** Whether `describe` reports ownership marks. */
  readonly hasMarks: boolean
}

/**
 * Chooses the mode of the next `put`. Returns undefined if the external secret with the row's name belongs to another owner and the
 * association may not replace it.
 */
export function putModeOf(
  description: SyncDescription | undefined,
  row: SyncRow,
  { place, hasMarks }: StoreLocation,
): SyncPutMode | undefined {
  const isClaimed = row.claimed === place
  if (isForeign(description, isClaimed)) return row.adopt ? 'adopt' : undefined
  // `SyncRow.claimed` counts only in an external store without marks. With marks, use `create`: if it fails with `conflict`, the next
  // `describe` reports the owner.
  const isKnown = description?.managed ?? (isClaimed && !hasMarks)
  return isKnown ? 'replace' : 'create'
}

function isForeign(description: SyncDescription | undefined, isClaimed: boolean): boolean {
  const { exists = false, managed, foreign } = description ?? {}
  if (foreign === true || managed === false) return true
  return exists && managed !== true && !isClaimed
}

/** Whether the external secret exists and belongs to this association, so that it can be removed. */
export function isOwnOutside(description: SyncDescription | undefined, row: SyncRow, place: string): boolean {
  if (description && !description.exists) return false
  return description?.managed ?? row.claimed === place
}
