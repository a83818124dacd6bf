/**
 * Encodes and decodes the stored record of a bucket. The record begins with the format number (1 byte). The entries follow, ordered by
 * hash. Each entry consists of the hash (20 bytes), the leaf (20 bytes), the length of the key (uint16) and the key in UTF-8.
 */
import { toUtf8 } from '../../../core/base/bytes.ts'
import { type ByteReader, readBytes } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { damagedRecord } from './damaged-record.ts'
import { bucketName, bucketOf, HASH_BYTES } from './geometry.ts'
import { compareHashes } from './hash-list.ts'

const FORMAT = 1

/** The tree's entry for one record of the store. */
export interface TreeEntry {
  /** The 20-byte hash of the key. */
  readonly hash: Uint8Array
  /** A 20-byte MAC of the record's key and decrypted value. */
  readonly leaf: Uint8Array
  readonly key: string
}

/** @param entries At least one, ordered by hash, with distinct hashes. */
export function writeBucket(entries: readonly TreeEntry[]): Uint8Array {
  const writer = new ByteWriter(1 + entries.length * 128).uint(FORMAT, 1)
  for (const entry of entries) writeTreeEntry(writer, entry)
  return writer.written()
}

/** Returns the entries of a bucket; an empty list if `bytes` is undefined. @throws KernelError ERR_INTERNAL if the record is damaged. */
export function readBucket(bytes: Uint8Array | undefined, domain: string, bucket: number): readonly TreeEntry[] {
  if (!bytes) return []
  const entries = readBytes(bytes, (reader) => {
    reader.check(reader.uint(1) === FORMAT && reader.left > 0)
    const found: TreeEntry[] = []
    while (reader.left > 0) {
      const entry = readTreeEntry(reader)
      const before = found.at(-1)
      reader.check(bucketOf(entry.hash) === bucket && (!before || compareHashes(before.hash, entry.hash) < 0))
      found.push(entry)
    }
    return Object.freeze(found)
  })
  if (!entries) throw damagedRecord(bucketName(domain, bucket))
  return entries
}

/** Returns the entry with this hash; undefined if there is no such entry. */
export function findTreeEntry(entries: readonly TreeEntry[], hash: Uint8Array): TreeEntry | undefined {
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

export function writeTreeEntry(writer: ByteWriter, { hash, leaf, key }: TreeEntry): void {
  const bytes = toUtf8(key)
  writer.bytes(hash).bytes(leaf).uint(bytes.length, 2).bytes(bytes)
}

export const readTreeEntry = (reader: ByteReader): TreeEntry =>
  Object.freeze({ hash: reader.bytes(HASH_BYTES), leaf: reader.bytes(HASH_BYTES), key: reader.text(reader.uint(2)) })
