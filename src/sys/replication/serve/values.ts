/**
 * Hands out values by the places of their keys in the tree.
 */
import type { Host } from '../../../core/transaction/host.ts'
import { isDamage } from '../log/log-pages.ts'
import { treeIn } from '../state/tree-store.ts'
import { findKeys } from '../tree/diff/find-keys.ts'
import { PIECE_BYTES, type SentOp } from './fetch.ts'

/** Where a record stands in the tree. */
export interface WantedValue {
  readonly domain: string
  readonly hash: Uint8Array
}

export interface SentValues {
  /** For the wanted ones from the first on; one that is gone has no entry here. */
  readonly records: readonly SentOp[]
  /** How many of them were looked at. */
  readonly took: number
  readonly piece?: { readonly key: string; readonly bytes: Uint8Array; readonly offset: number; readonly total: number }
}

export const MOST_WANTED = 256

export async function valuesOf(host: Host, wanted: readonly WantedValue[], offset: number): Promise<SentValues> {
  const { store } = host
  const keys = await findKeys(treeIn(host), wanted)
  const stored = await store.entries(keys.filter((key) => key !== undefined))
  const byKey = new Map(stored.flatMap((entry) => (entry ? [[entry.key, entry] as const] : [])))
  const records: SentOp[] = []
  let bytes = 0
  for (const [took, key] of keys.entries()) {
    const entry = key === undefined ? undefined : byKey.get(key)
    if (!entry) continue
    const size = entry.key.length + entry.value.length
    if (bytes > 0 && bytes + size > PIECE_BYTES) return { records, took }
    const [opened] = await store.openAll([entry]).catch((error: unknown) => {
      if (isDamage(error)) return []
      throw error
    })
    // A damaged value is nobody's.
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
