/** Builds a Merkle tree from all records of a store. */
import type { Clock } from '../../../core/base/clock.ts'
import { Slices } from '../../../core/base/slices.ts'
import type { Hash } from '../../../core/crypto/backend.ts'
import { readTreeEntry, type TreeEntry, writeBucket } from './bucket-record.ts'
import { ByteReader } from './byte-reader.ts'
import { EntryBuffer } from './entry-buffer.ts'
import { bucketName, CHILDREN, HASH_BYTES, isDomain, pageName, type RecordWrite, rootName } from './geometry.ts'
import { compareHashes, isEmptyAt } from './hash-list.ts'
import { bucketHash, emptyChildren, TOP_MICROSECONDS, topOver } from './levels.ts'
import { writePage, writeRoot } from './page-records.ts'
import type { TreeKeys } from './tree-keys.ts'

export interface TreeSource {
  readonly keys: TreeKeys
  readonly sha256: Hash
  /** The clock for pauses, so that long work does not block the event loop. */
  readonly clock: Clock
  /** Returns the domain of a key. The domain must satisfy `isDomain`. */
  domainOf(key: string): string
  /**
   * Returns the tree entries of all records in the store, except those for which `hashOf` returns undefined: they are not wanted in this
   * walk and need not be decrypted. Otherwise `hashOf` returns the hash of the key. If a key occurs twice, the later entry counts.
   */
  walk(hashOf: (key: string) => Uint8Array | undefined): AsyncIterable<TreeEntry> | Iterable<TreeEntry>
}

export interface BuildOptions {
  /** The maximum number of tree records per batch. */
  readonly recordsPerBatch: number
  /**
   * The memory limit for entries in bytes; default 32 MiB. The entries of at least one of the 256 pages are always kept in memory, so a
   * larger page exceeds the limit.
   */
  readonly maxBytes?: number
}

const DEFAULT_MAX_BYTES = 33_554_432

const ENTRY_MICROSECONDS = 20

const READING_MICROSECONDS = 4

/** The pages of a domain that have been built so far. */
interface Pages {
  readonly hashes: Map<number, Uint8Array>
  keys: number
}

/**
 * Generates the records of a new tree, the roots last. The store must not contain records of a tree yet. Reads the whole store several
 * times if the entries do not fit into memory. Changes made during the build may be missing, so the caller must fold the log afterwards,
 * beginning at the log position before the first read.
 */
export async function* buildPages(tree: TreeSource, options: BuildOptions): AsyncGenerator<readonly RecordWrite[]> {
  const { recordsPerBatch, maxBytes = DEFAULT_MAX_BYTES } = options
  const slices = new Slices(tree.clock)
  const domains = new Map<string, Pages>()
  let batch: RecordWrite[] = []
  for (let from = 0; from < CHILDREN; ) {
    const buffer = await collectEntries(tree, new EntryBuffer(from, maxBytes), slices)
    for (const page of range(from, buffer.end))
      for (const [domain, entries] of buffer.take(page)) {
        const pages = domains.get(domain) ?? { hashes: new Map(), keys: 0 }
        domains.set(domain, pages)
        for await (const write of pageRecords(tree.sha256, slices, domain, page, entries, pages)) {
          batch.push(write)
          if (batch.length < recordsPerBatch) continue
          yield batch
          batch = []
        }
      }
    from = buffer.end
  }
  for (const [domain, pages] of domains) {
    batch.push(rootRecord(tree.sha256, domain, pages))
    if (slices.spend(TOP_MICROSECONDS)) await slices.giveWay()
    if (batch.length < recordsPerBatch) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function collectEntries({ keys, domainOf, walk }: TreeSource, buffer: EntryBuffer, slices: Slices): Promise<EntryBuffer> {
  const hashOf = (key: string): Uint8Array | undefined => {
    const hash = keys.hashOf(key)
    return buffer.takes(hash[0]!) ? hash : undefined
  }
  for await (const entry of walk(hashOf)) {
    if (slices.spend(ENTRY_MICROSECONDS)) await slices.giveWay()
    // Check again: since `hashOf` accepted the key, the buffer may have dropped the page to save memory.
    if (!buffer.takes(entry.hash[0]!)) continue
    const domain = domainOf(entry.key)
    if (!isDomain(domain))
      throw new TypeError('the domain of a key must have 1 to 64 printable ASCII characters without blanks and slashes')
    buffer.add(domain, entry)
  }
  return buffer
}

async function* pageRecords(
  sha256: Hash,
  slices: Slices,
  domain: string,
  page: number,
  entries: Uint8Array,
  pages: Pages,
): AsyncGenerator<RecordWrite> {
  const bySubpage: TreeEntry[][] = Array.from({ length: CHILDREN }, () => [])
  const reader = new ByteReader(entries)
  while (reader.left > 0) {
    const entry = readTreeEntry(reader)
    bySubpage[entry.hash[1]!]!.push(entry)
    if (slices.spend(READING_MICROSECONDS)) await slices.giveWay()
  }
  const buckets = emptyChildren()
  for (const [subpage, found] of bySubpage.entries()) {
    if (found.length === 0) continue
    const kept = sorted(found)
    pages.keys += kept.length
    buckets.set(bucketHash(sha256, kept), subpage * HASH_BYTES)
    yield { name: bucketName(domain, (page << 8) | subpage), bytes: writeBucket(kept) }
    if (slices.spend(kept.length * ENTRY_MICROSECONDS)) await slices.giveWay()
  }
  pages.hashes.set(page, topOver(sha256, buckets))
  if (slices.spend(TOP_MICROSECONDS)) await slices.giveWay()
  if (!isEmptyAt(buckets, 0, buckets.length)) yield { name: pageName(domain, page), bytes: writePage(buckets) }
}

/**
 * Sorts the entries by hash and keeps only the last entry for each hash. This is the entry that was added last, because the sort is stable.
 */
function sorted(entries: TreeEntry[]): readonly TreeEntry[] {
  entries.sort((a, b) => compareHashes(a.hash, b.hash))
  return entries.filter(({ hash }, at) => at === entries.length - 1 || compareHashes(hash, entries[at + 1]!.hash) !== 0)
}

function rootRecord(sha256: Hash, domain: string, { hashes, keys }: Pages): RecordWrite {
  const pages = emptyChildren()
  for (const [page, hash] of hashes) pages.set(hash, page * HASH_BYTES)
  return { name: rootName(domain), bytes: writeRoot({ root: topOver(sha256, pages), keys, pages }) }
}

function* range(from: number, to: number): Generator<number> {
  for (let at = from; at < to; at++) yield at
}
