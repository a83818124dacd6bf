/**
 * Keeps the caches correct while a commit is in progress.
 */
import type { Op, Revision } from '../storage/port.ts'
import type { PendingAccess } from './cache.ts'
import type { CreatedKeys } from './created-keys.ts'
import type { Host } from './host.ts'
import type { PendingWrites } from './pending-writes.ts'

/** The writes of one run of a transaction, and its changes of the key cache. */
export interface WriteSet {
  readonly writes: PendingWrites
  readonly createdKeys: CreatedKeys
  /** The owners, such as transit keys, whose key versions are removed from the key cache. */
  readonly evictedOwners: readonly string[]
}

export class PendingCommit {
  readonly #host: Host
  readonly #writeSet: WriteSet
  readonly #accesses: ReadonlyMap<string, PendingAccess>
  readonly #generation: number

  /** Begins the commit. Until `end` is called, the record cache notes which of the written keys other processes change. */
  constructor(host: Host, writeSet: WriteSet) {
    this.#host = host
    this.#writeSet = writeSet
    this.#accesses = new Map([...writeSet.writes.keys()].map((key) => [key, host.cache.beginAccess(key)]))
    this.#generation = host.keys.generation
  }

  /**
   * Updates the caches with the committed values. Call it before any listener is notified of the commit, so that every later read returns
   * the new values.
   */
  updateCaches(revision: Revision): void {
    const { cache, freshness, keys } = this.#host
    const { writes, createdKeys, evictedOwners } = this.#writeSet
    // If the watch has already reported this commit, the caches are up to date.
    if (freshness.applied < revision) {
      cache.apply({ revision, keys: [...writes.keys()] })
      freshness.committed(revision)
    }
    for (const [key, { record }] of writes) {
      if (record?.value !== undefined)
        cache.put(record.table, record.id, revision, record.value, this.#accesses.get(key) as PendingAccess)
    }
    // If the kernel was sealed during the commit, all keys were dropped from the cache. Do not add the keys of this run afterwards.
    if (this.#generation === keys.generation) createdKeys.adopt(keys)
    for (const owner of evictedOwners) keys.drop(owner)
  }

  /** Drops the cached records of all keys that the commit wrote or checked. Call it if the commit failed or its outcome is unknown. */
  invalidate(ops: readonly Op[]): void {
    this.#host.cache.apply({ revision: Number.POSITIVE_INFINITY, keys: ops.flatMap((op) => ('key' in op ? [op.key] : [])) })
  }

  end(): void {
    for (const [key, access] of this.#accesses) this.#host.cache.endAccess(key, access)
  }
}
