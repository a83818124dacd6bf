/**
 * The part of a tree that a fold changes: buckets that are open, and how many records their changes come to.
 */
import type { Slices } from '../../../core/base/slices.ts'
import type { Hash } from '../../../core/crypto/backend.ts'
import { readBucket } from './bucket-record.ts'
import { damaged } from './damaged.ts'
import { bucketName, bucketOf, HASH_BYTES, pageName, type RecordName, type RecordWrite, rootName } from './geometry.ts'
import { isEmptyAt } from './hash-list.ts'
import { TOP_MICROSECONDS, topOver } from './levels.ts'
import { OpenBucket, type PlacedChange } from './open-bucket.ts'
import { readPage, readRoot, writePage, writeRoot } from './page-records.ts'
import { type ReadRecords, readMany } from './stored-tree.ts'

/** A bucket, its page, its root. */
export const FEWEST_WRITES = 3

const CLOSING_MICROSECONDS = 60

export class FoldWindow {
  readonly #read: ReadRecords
  readonly #sha256: Hash
  readonly #slices: Slices
  readonly #most: number
  readonly #buckets = new Map<RecordName, OpenBucket>()
  /** Of each page and root, by name: how many changed buckets are below it. */
  readonly #changedBelow = new Map<RecordName, number>()
  #changedBuckets = 0

  constructor(read: ReadRecords, sha256: Hash, slices: Slices, most: number) {
    this.#read = read
    this.#sha256 = sha256
    this.#slices = slices
    this.#most = most
  }

  /** How many buckets are held. */
  get buckets(): number {
    return this.#buckets.size
  }

  /** Reads the buckets of these changes. */
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

  /** Applies a change to its open bucket; false where there would be too many records then, and nothing is done. */
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

  /** The records of everything that changed. */
  async close(): Promise<readonly RecordWrite[]> {
    const writes: RecordWrite[] = []
    const pages = new Map<RecordName, PageChange>()
    for (const open of this.#buckets.values()) {
      if (!open.changed) continue
      const { write, hash, more } = open.close(this.#sha256)
      writes.push(write)
      const name = pageName(open.domain, open.bucket >> 8)
      const page = pages.get(name) ?? { domain: open.domain, page: open.bucket >> 8, below: [], more: 0 }
      page.below.push([open.bucket & 255, hash])
      page.more += more
      pages.set(name, page)
      if (this.#slices.spend(CLOSING_MICROSECONDS)) await this.#slices.giveWay()
    }
    const roots = await this.#closePages(pages, writes)
    await this.#closeRoots(roots, writes)
    return writes
  }

  async #closePages(pages: ReadonlyMap<RecordName, PageChange>, writes: RecordWrite[]): Promise<ReadonlyMap<string, RootChange>> {
    const roots = new Map<string, RootChange>()
    const records = await readMany(this.#read, [...pages.keys()])
    for (const [at, [name, { domain, page, below, more }]] of [...pages].entries()) {
      const buckets = readPage(records[at], domain, page)
      for (const [subpage, hash] of below) buckets.set(hash, subpage * HASH_BYTES)
      writes.push({ name, bytes: isEmptyAt(buckets, 0, buckets.length) ? undefined : writePage(buckets) })
      const root = roots.get(domain) ?? { below: [], more: 0 }
      root.below.push([page, topOver(this.#sha256, buckets)])
      root.more += more
      roots.set(domain, root)
      if (this.#slices.spend(TOP_MICROSECONDS)) await this.#slices.giveWay()
    }
    return roots
  }

  async #closeRoots(roots: ReadonlyMap<string, RootChange>, writes: RecordWrite[]): Promise<void> {
    const names = [...roots.keys()].map(rootName)
    const records = await readMany(this.#read, names)
    for (const [at, [domain, { below, more }]] of [...roots].entries()) {
      const name = names[at]!
      const { keys: before, pages } = readRoot(records[at], domain)
      for (const [page, hash] of below) pages.set(hash, page * HASH_BYTES)
      const keys = before + more
      const root = topOver(this.#sha256, pages)
      const empty = isEmptyAt(root, 0)
      // Keys and hashes are counted apart from each other, so that they disagree is damage.
      if (keys < 0 || empty !== (keys === 0)) throw damaged(name)
      writes.push({ name, bytes: empty ? undefined : writeRoot({ root, keys, pages }) })
      if (this.#slices.spend(TOP_MICROSECONDS)) await this.#slices.giveWay()
    }
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

/** Hashes that take the place of children, and how many keys more there are below. */
interface RootChange {
  readonly below: (readonly [child: number, hash: Uint8Array])[]
  more: number
}

interface PageChange extends RootChange {
  readonly domain: string
  readonly page: number
}

const nameOf = ({ domain, hash }: PlacedChange): RecordName => bucketName(domain, bucketOf(hash))

const namesAbove = ({ domain, bucket }: OpenBucket): readonly RecordName[] => [pageName(domain, bucket >> 8), rootName(domain)]
