/** A bucket to which changes are applied in memory. */

import type { Hash } from '../../../core/crypto/backend.ts'
import { findTreeEntry, type TreeEntry, writeBucket } from './bucket-record.ts'
import { bucketName, type RecordWrite } from './geometry.ts'
import { compareHashes } from './hash-list.ts'
import { bucketHash } from './levels.ts'

/** A change of one key, with the position of the key in the tree. `leaf` is the new leaf, or undefined if the record is deleted. */
export interface PlacedChange {
  readonly domain: string
  readonly key: string
  readonly hash: Uint8Array
  readonly leaf: Uint8Array | undefined
}

export class OpenBucket {
  readonly domain: string
  readonly bucket: number
  readonly #stored: readonly TreeEntry[]
  /** The changes by which the open bucket differs from the stored bucket, keyed by the changed key. */
  readonly #changed = new Map<string, PlacedChange>()

  constructor(domain: string, bucket: number, stored: readonly TreeEntry[]) {
    this.domain = domain
    this.bucket = bucket
    this.#stored = stored
  }

  /** Whether the open bucket differs from the stored bucket. */
  get changed(): boolean {
    return this.#changed.size > 0
  }

  /** Whether {@link changed} would be true after this change. */
  changedBy(change: PlacedChange): boolean {
    if (!this.#isStored(change)) return true
    return this.#changed.size > (this.#changed.has(change.key) ? 1 : 0)
  }

  apply(change: PlacedChange): void {
    if (this.#isStored(change)) this.#changed.delete(change.key)
    else this.#changed.set(change.key, change)
  }

  /** The hash of the stored bucket. */
  hashBefore(sha256: Hash): Uint8Array {
    return bucketHash(sha256, this.#stored)
  }

  /** Returns the record to write, the new hash of the bucket, and the number of added keys minus the number of removed keys. */
  close(sha256: Hash): { readonly write: RecordWrite; readonly hash: Uint8Array; readonly more: number } {
    const entries = this.#stored.filter(({ key }) => !this.#changed.has(key))
    for (const { hash, leaf, key } of this.#changed.values()) if (leaf) entries.push({ hash, leaf, key })
    entries.sort((a, b) => compareHashes(a.hash, b.hash))
    const bytes = entries.length > 0 ? writeBucket(entries) : undefined
    return {
      write: { name: bucketName(this.domain, this.bucket), bytes },
      hash: bucketHash(sha256, entries),
      more: entries.length - this.#stored.length,
    }
  }

  #isStored({ hash, leaf }: PlacedChange): boolean {
    const entry = findTreeEntry(this.#stored, hash)
    return leaf && entry ? compareHashes(leaf, entry.leaf) === 0 : leaf === entry?.leaf
  }
}
