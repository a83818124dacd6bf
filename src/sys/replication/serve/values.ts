/** Serves the values of records that a secondary found to differ in the Merkle tree. */

import { isDamage } from '../../../core/barrier/is-damage.ts'
import type { SecondaryScope } from '../filters/secondary-scopes.ts'
import { domainOf } from '../state/domain.ts'
import type { SetHost } from '../state/set-host.ts'
import { treeIn } from '../state/tree-store.ts'
import { findKeys } from '../tree/diff/find-keys.ts'
import { PIECE_BYTES, type SentOp } from './fetch.ts'

/** Identifies a record by its position in the Merkle tree: its domain, and the hash of its key. */
export interface WantedValue {
  readonly domain: string
  readonly hash: Uint8Array
}

export interface SentValues {
  /** The records, in the order of the request. Records that are missing or must not be sent are left out. */
  readonly records: readonly SentOp[]
  /** The number of requested records that were processed. The secondary must request the rest again. */
  readonly took: number
  readonly piece?: { readonly key: string; readonly bytes: Uint8Array; readonly offset: number; readonly total: number }
}

export const MAX_WANTED_VALUES = 256

/** Returns whether the stored value of a record is the value that was last written. `stored` is undefined if the record does not exist. */
export type VerifyRecord = (key: string, stored: Uint8Array | undefined) => Promise<boolean>

export interface ValuesRequest {
  readonly wanted: readonly WantedValue[]
  /** The offset of the requested piece, in bytes, if the first value is sent in pieces. */
  readonly offset: number
}

/**
 * Returns the requested values. The scope of the secondary can change during the read, so it is read before and after. A record is sent
 * only if both scopes include it.
 *
 * @param vouch Checks each record. Records for which it returns false are not sent.
 * @param now Returns the current scope of the secondary.
 */
export async function valuesOf(
  host: SetHost,
  request: ValuesRequest,
  vouch: VerifyRecord,
  now: () => Promise<SecondaryScope>,
): Promise<SentValues> {
  const scope = await now()
  const { piece, ...found } = await collectValues(host, request, vouch, scope)
  const later = await now()
  const records = found.records.filter(({ key, value }) => later.includesRecord(key, value))
  return { ...found, records, ...(piece && later.includesRecord(piece.key, undefined) ? { piece } : {}) }
}

async function collectValues(
  host: SetHost,
  { wanted, offset }: ValuesRequest,
  vouch: VerifyRecord,
  scope: SecondaryScope,
): Promise<SentValues> {
  const { store } = host
  const places = await findKeys(treeIn(host), wanted)
  const keys = places.map((key) => (key !== undefined && scope.includes(domainOf(key)) ? key : undefined))
  const stored = await store.entries(keys.filter((key) => key !== undefined))
  const byKey = new Map(stored.flatMap((entry) => (entry ? [[entry.key, entry] as const] : [])))
  const records: SentOp[] = []
  let bytes = 0
  for (const [took, key] of keys.entries()) {
    if (key === undefined) continue
    const entry = byKey.get(key)
    // With an offset, skip the check: the record was checked before its first piece was sent.
    if (offset === 0 && !(await vouch(key, entry?.value))) continue
    if (!entry) continue
    const size = entry.key.length + entry.value.length
    if (bytes > 0 && bytes + size > PIECE_BYTES) return { records, took }
    const [opened] = await store.decryptAll([entry]).catch((error: unknown) => {
      if (isDamage(error)) return []
      throw error
    })
    if (!opened) continue
    const { value } = opened
    if (size > PIECE_BYTES) {
      const piece = { key: entry.key, bytes: value.slice(offset, offset + PIECE_BYTES), offset, total: value.length }
      value.fill(0)
      return { records, took: took + 1, piece }
    }
    bytes += size
    records.push({ key: entry.key, value })
  }
  return { records, took: keys.length }
}
