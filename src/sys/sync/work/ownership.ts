/**
 * Decides which external secrets belong to an association. An existing name is replaced or removed only if it has the mark of the
 * association or, in a store without marks, if the record of the association shows that it created the name.
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
 * The value of an association's mark. The id contains the random UUIDs of namespace and mount, so it differs between installations. It is
 * the same after a failover, after a restore, and if the association is removed and set again.
 */
export const ownerOf = (crypto: CryptoBackend, association: string): string => digest(crypto, ['sync owner', association])

/** Identifies the location to which a destination writes, by its parameters except the credentials. */
export function storeLocationOf(crypto: CryptoBackend, destination: string, { config }: SyncDestinationRecord): string {
  const { masked } = STORE_TYPES[readDestinationId(destination).type]
  const shown = Object.entries(config).filter(([field]) => !masked.includes(field))
  return digest(crypto, ['sync place', shown.sort(([a], [b]) => (a < b ? -1 : 1))])
}

interface StoreLocation {
  /** The location, as computed by {@link storeLocationOf}. */
  readonly place: string
  /** Whether the store supports marks and reports them. */
  readonly hasMarks: boolean
}

/** @returns Undefined if the name belongs to something that this association did not create. */
export function putModeOf(
  description: SyncDescription | undefined,
  row: SyncRow,
  { place, hasMarks }: StoreLocation,
): SyncPutMode | undefined {
  const isClaimed = row.claimed === place
  if (isForeign(description, isClaimed)) return row.adopt ? 'adopt' : undefined
  // With marks, the next `describe` can distinguish a secret that this association created earlier from one of another owner.
  const isKnown = description?.managed ?? (isClaimed && !hasMarks)
  return isKnown ? 'replace' : 'create'
}

function isForeign(description: SyncDescription | undefined, isClaimed: boolean): boolean {
  const { exists = false, managed, foreign } = description ?? {}
  if (foreign === true || managed === false) return true
  return exists && managed !== true && !isClaimed
}

/** Whether there is an external secret of this association to remove. */
export function isOwnOutside(description: SyncDescription | undefined, row: SyncRow, place: string): boolean {
  if (description && !description.exists) return false
  return description?.managed ?? row.claimed === place
}
