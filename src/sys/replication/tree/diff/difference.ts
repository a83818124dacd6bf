/** The differences between two trees. */
import { readBucket } from '../bucket-record.ts'
import { bucketName, CHILDREN, pageName, rootName } from '../geometry.ts'
import { isEmptyAt } from '../hash-list.ts'
import { readTreePage, readTreeRoot } from '../page-records.ts'
import type { StoredTree } from '../stored-tree.ts'

/** A record that this tree lacks or has with another leaf. It is identified by its position in the other tree. */
export interface WantedRecord {
  readonly domain: string
  readonly bucket: number
  /** The 20-byte hash of the record's key. */
  readonly hash: Uint8Array
}

export interface Difference {
  readonly fetch: readonly WantedRecord[]
  /** Keys that only this tree has. */
  readonly delete: readonly string[]
  /** Domains that only this tree has. Later differences list the keys of these domains in `delete`. */
  readonly gone?: readonly string[]
}

const BUCKETS_PER_READ = 256

/** Yields all keys of a domain that only this tree has. */
export async function* goneDomain(tree: StoredTree, domain: string): AsyncGenerator<Difference> {
  const [record] = await tree.read([rootName(domain)])
  yield* gonePages(tree, domain, childrenOf(readTreeRoot(record, domain).pages))
}

/** Yields all keys of pages that only this tree has. */
export async function* gonePages(tree: StoredTree, domain: string, pages: readonly number[]): AsyncGenerator<Difference> {
  for (const page of pages) {
    const [record] = await tree.read([pageName(domain, page)])
    const buckets = childrenOf(readTreePage(record, domain, page))
    yield* goneBuckets(
      tree,
      domain,
      buckets.map((subpage) => (page << 8) | subpage),
    )
  }
}

/** Yields all keys of buckets that only this tree has. */
export async function* goneBuckets(tree: StoredTree, domain: string, buckets: readonly number[]): AsyncGenerator<Difference> {
  for (let from = 0; from < buckets.length; from += BUCKETS_PER_READ) {
    const some = buckets.slice(from, from + BUCKETS_PER_READ)
    const records = await tree.read(some.map((bucket) => bucketName(domain, bucket)))
    const keys = some.flatMap((bucket, at) => readBucket(records[at], domain, bucket).map(({ key }) => key))
    if (keys.length > 0) yield { fetch: [], delete: keys }
    await tree.clock.sleep(0)
  }
}

const childrenOf = (list: Uint8Array): readonly number[] =>
  Array.from({ length: CHILDREN }, (_, at) => at).filter((at) => !isEmptyAt(list, at))
