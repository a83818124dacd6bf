/**
 * Collects changes of buckets in memory while log entries are applied to the tree, and limits the number of tree records that have to be
 * written for them.
 */
import type { Slices } from '../../../core/base/slices.ts'
import type { Hash } from '../../../core/crypto/backend.ts'
import { readBucket } from './bucket-record.ts'
import type { Children } from './children.ts'
import { damagedRecord } from './damaged-record.ts'
import { bucketName, bucketOf, pageName, type RecordName, type RecordWrite, rootName } from './geometry.ts'
import { isEmptyAt } from './hash-list.ts'
import { TOP_MICROSECONDS } from './levels.ts'
import { OpenBucket, type PlacedChange } from './open-bucket.ts'
import { writePage, writeRoot } from './page-records.ts'
import { ProvenRecords } from './proven-records.ts'
import { type ReadRecords, readMany } from './stored-tree.ts'

/** The number of records to write for one change: a bucket, its page, and the root of its domain. */
export const MIN_WRITES = 3

const CLOSING_MICROSECONDS = 60

export class FoldWindow {
  readonly #read: ReadRecords
  readonly #sha256: Hash
  readonly #slices: Slices
  readonly #most: number
  readonly #buckets = new Map<RecordName, OpenBucket>()
  /** The number of changed buckets below each page and root, keyed by the record name of the page or root. */
  readonly #changedBelow = new Map<RecordName, number>()
  #changedBuckets = 0

  constructor(read: ReadRecords, sha256: Hash, slices: Slices, most: number) {
    this.#read = read
    this.#sha256 = sha256
    this.#slices = slices
    this.#most = most
  }

  /** The number of open buckets. */
  get buckets(): number {
    return this.#buckets.size
  }

  /** Reads the buckets of these changes that are not open yet. */
  async open(changes: readonly PlacedChange[]): Promise<void> {
    const missing = new Map<RecordName, PlacedChange>()
    for (const change of changes) {
      const name = nameOf(change)
      if (!this.#buckets.has(name)) missing.set(name, change)
    }
    const records = await this.#read([...missing.keys()])
    for (const [at, [name, { domain, hash }]] of [...missing].entries()) {
      const bucket = bucketOf(hash)
      this.#buckets.set(name, new OpenBucket(domain, bucket, readBucket(records[at], domain, bucket)))
    }
  }

  /** Applies a change to its open bucket. If too many records would then have to be written, changes nothing and returns false. */
  apply(change: PlacedChange): boolean {
    const bucket = this.#buckets.get(nameOf(change))!
    const before = bucket.changed
    const after = bucket.changedBy(change)
    if (after && !before) {
      const above = namesAbove(bucket).filter((name) => !this.#changedBelow.has(name))
      if (this.#changedBuckets + this.#changedBelow.size + 1 + above.length > this.#most) return false
    }
    if (after !== before) this.#count(bucket, after ? 1 : -1)
    bucket.apply(change)
    return true
  }

  /**
   * Returns all changed records. Compares the stored records with the hashes in their parents first. Otherwise a bucket that was replaced
   * by an older version outside the kernel would be accepted, and the loss of its newer entries would go unnoticed.
   */
  async close(): Promise<readonly RecordWrite[]> {
    const changed = [...this.#buckets.values()].filter((bucket) => bucket.changed)
    const above = [...new Set(changed.flatMap(namesAbove))]
    const records = await readMany(this.#read, above)
    const proven = new ProvenRecords(this.#sha256, new Map(above.map((name, at) => [name, records[at]])))
    const writes: RecordWrite[] = []
    const pages = new Map<RecordName, PageChange>()
    for (const open of changed) {
      const { domain, bucket } = open
      const [page, subpage] = [bucket >> 8, bucket & 255]
      const buckets = proven.page(domain, page)
      const name = pageName(domain, page)
      const known = pages.get(name)
      const change = known ?? { domain, page, buckets, more: 0 }
      if (!buckets.has(subpage, open.hashBefore(this.#sha256))) throw damagedRecord(bucketName(domain, bucket))
      const { write, hash, more } = open.close(this.#sha256)
      buckets.set(subpage, hash)
      writes.push(write)
      change.more += more
      pages.set(name, change)
      if (this.#slices.spend(CLOSING_MICROSECONDS + (known ? 0 : TOP_MICROSECONDS))) await this.#slices.giveWay()
    }
    const more = new Map<string, number>()
    for (const [name, page] of pages) {
      writes.push(await this.#closePage(name, page, proven))
      more.set(page.domain, (more.get(page.domain) ?? 0) + page.more)
    }
    for (const [domain, keys] of more) writes.push(await this.#closeRoot(domain, keys, proven))
    return writes
  }

  async #closePage(name: RecordName, { domain, page, buckets }: PageChange, proven: ProvenRecords): Promise<RecordWrite> {
    proven.root(domain).pages.set(page, buckets.top)
    if (this.#slices.spend(TOP_MICROSECONDS)) await this.#slices.giveWay()
    return { name, bytes: isEmptyAt(buckets.hashes, 0, buckets.hashes.length) ? undefined : writePage(buckets.hashes) }
  }

  async #closeRoot(domain: string, more: number, proven: ProvenRecords): Promise<RecordWrite> {
    const name = rootName(domain)
    const { keys: before, pages } = proven.root(domain)
    const keys = before + more
    const root = pages.top
    const empty = isEmptyAt(root, 0)
    // The number of keys and the hashes are maintained independently. If only one of them says that the domain is empty, the root is
    // damaged.
    if (keys < 0 || empty !== (keys === 0)) throw damagedRecord(name)
    if (this.#slices.spend(TOP_MICROSECONDS)) await this.#slices.giveWay()
    return { name, bytes: empty ? undefined : writeRoot({ root, keys, pages: pages.hashes }) }
  }

  #count(bucket: OpenBucket, by: 1 | -1): void {
    this.#changedBuckets += by
    for (const name of namesAbove(bucket)) {
      const count = (this.#changedBelow.get(name) ?? 0) + by
      if (count === 0) this.#changedBelow.delete(name)
      else this.#changedBelow.set(name, count)
    }
  }
}

interface PageChange {
  readonly domain: string
  readonly page: number
  readonly buckets: Children
  /** The number of keys added below the page minus the number of removed keys. */
  more: number
}

const nameOf = ({ domain, hash }: PlacedChange): RecordName => bucketName(domain, bucketOf(hash))

const namesAbove = ({ domain, bucket }: OpenBucket): readonly RecordName[] => [pageName(domain, bucket >> 8), rootName(domain)]
