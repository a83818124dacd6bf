/**
 * The stored record of a bucket: format (1), then per entry, in the order of their hashes, hash (20), leaf (20), length of the key (uint16)
 * and the key in UTF-8.
 */
import { toUtf8 } from '../../../core/base/bytes.ts'
import { type ByteReader, readBytes } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { damagedRecord } from './damaged-record.ts'
import { bucketName, bucketOf, HASH_BYTES } from './geometry.ts'
import { compareHashes } from './hash-list.ts'

const FORMAT = 1

/** What the tree knows of one record of the store. */
export interface TreeEntry {
  /** The 20-byte hash of the key. */
  readonly hash: Uint8Array
  /** 20 bytes that stand for key and plaintext. */
  readonly leaf: Uint8Array
  readonly key: string
}

/** @param entries In the order of their hashes, each hash once, at least one. */
export function writeBucket(entries: readonly TreeEntry[]): Uint8Array {
  const writer = new ByteWriter(1 + entries.length * 128).uint(FORMAT, 1)
  for (const entry of entries) writeEntry(writer, entry)
  return writer.written()
}

/** The entries of a bucket, none where the record is absent. @throws KernelError ERR_INTERNAL for a damaged record. */
export function readBucket(bytes: Uint8Array | undefined, domain: string, bucket: number): readonly TreeEntry[] {
  if (!bytes) return []
  const entries = readBytes(bytes, (reader) => {
    reader.check(reader.uint(1) === FORMAT && reader.left > 0)
    const found: TreeEntry[] = []
    while (reader.left > 0) {
      const entry = readEntry(reader)
      const before = found.at(-1)
      reader.check(bucketOf(entry.hash) === bucket && (!before || compareHashes(before.hash, entry.hash) < 0))
      found.push(entry)
    }
    return Object.freeze(found)
  })
  if (!entries) throw damagedRecord(bucketName(domain, bucket))
  return entries
}

/** The entry with this hash. */
export function entryOf(entries: readonly TreeEntry[], hash: Uint8Array): TreeEntry | undefined {
  let from = 0
  let to = entries.length
  while (from < to) {
    const middle = (from + to) >> 1
    const order = compareHashes(entries[middle]!.hash, hash)
    if (order === 0) return entries[middle]
    if (order < 0) from = middle + 1
    else to = middle
  }
  return undefined
}

export function writeEntry(writer: ByteWriter, { hash, leaf, key }: TreeEntry): void {
  const bytes = toUtf8(key)
  writer.bytes(hash).bytes(leaf).uint(bytes.length, 2).bytes(bytes)
}

export const readEntry = (reader: ByteReader): TreeEntry =>
  Object.freeze({ hash: reader.bytes(HASH_BYTES), leaf: reader.bytes(HASH_BYTES), key: reader.text(reader.uint(2)) })
