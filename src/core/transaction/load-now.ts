/**
 * Loads single records and keys within a run on cached records, if the storage answers synchronously. A run that loads nothing else needs no
 * transaction. The functions return undefined if the record is absent, if the storage does not answer synchronously, or if anything fails:
 * the transaction that runs then repeats the read, and reports the failure.
 */
import { decodeRecord, type SecretKind, splitFormat } from '../contract/record-kind.ts'
import type { Wipeable } from '../crypto/backend.ts'
import type { PinnedKey } from '../crypto/key-cache.ts'
import { type CachedRecord, NOTHING_REPORTED, type RecordTable } from './cache.ts'
import type { Host } from './host.ts'
import type { DecryptedRecord } from './store.ts'

export function loadRecordNow<T>({ store, cache }: Host, table: RecordTable<T>, id: string): CachedRecord<T> | undefined {
  try {
    const record = shortRecord(store.getSync(table.prefix + id))
    if (!record) return undefined
    table.misses++
    cache.put(table, id, record.version, decodeRecord(table.kind, record.value), NOTHING_REPORTED)
    return table.entries.get(id)
  } catch {
    return undefined
  }
}

/** @param key The storage key. */
export function loadSecretNow<K extends Wipeable, X>(
  { store, keys }: Host,
  kind: SecretKind,
  key: string,
  owner: string,
  version: number,
  build: (bytes: Uint8Array, context: X) => K,
  context: X,
): PinnedKey<Wipeable> | undefined {
  let record: DecryptedRecord | undefined
  try {
    record = shortRecord(store.getSync(key))
    if (!record) return undefined
    const built = build(splitFormat(kind, record.value)[1], context)
    const pinned = keys.add(owner, version, built, keys.generation)
    pinned.unpin()
    return pinned
  } catch {
    return undefined
  } finally {
    record?.value.fill(0)
  }
}

const shortRecord = (found: ReturnType<Host['store']['getSync']>): DecryptedRecord | undefined =>
  found && 'entry' in found ? found.entry : undefined
