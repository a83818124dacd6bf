/**
 * Whether what is stored of a domain fits together.
 */

import { KernelError } from '../../../core/base/errors.ts'
import { Slices } from '../../../core/base/slices.ts'
import { readBucket, type TreeEntry } from './bucket-record.ts'
import { bucketName, CHILDREN, HASH_BYTES, pageName, rootName } from './geometry.ts'
import { hashAt, isSame } from './hash-list.ts'
import { bucketHash, emptyChildren, TOP_MICROSECONDS, topOver } from './levels.ts'
import { readPage, readRoot, type TreeRoot } from './page-records.ts'
import type { StoredTree } from './stored-tree.ts'

/**
 * A hash that is not what the buckets come to, or a record that is damaged. Without a subpage it is the page's: its record, or its hash in
 * the root record. Without a page it is the domain's: its root or its number of keys.
 */
export interface Finding {
  readonly page: number | undefined
  readonly subpage: number | undefined
}

const ENTRY_MICROSECONDS = 6

/**
 * Recomputes a domain's hashes from its buckets, and gives everything that is stored differently, in the order of pages and subpages and
 * the root last. Reads every bucket that there can be, 65,536.
 */
export async function* check(tree: StoredTree, domain: string): AsyncGenerator<Finding> {
  const slices = new Slices(tree.clock)
  const [stored] = await tree.read([rootName(domain)])
  const root = undamaged(() => readRoot(stored, domain))
  const pages = emptyChildren()
  let keys: number | undefined = 0
  for (let page = 0; page < CHILDREN; page++) {
    const found = await checkPage(tree, slices, domain, page)
    for (const subpage of found.subpages) yield { page, subpage }
    pages.set(found.hash, page * HASH_BYTES)
    keys = sum(keys, found.keys)
    const wrong = root !== undefined && !isSame(found.hash, 0, root.pages, page * HASH_BYTES)
    if (found.damaged || wrong) yield { page, subpage: undefined }
  }
  if (!root || !isRight(root, topOver(tree.sha256, pages), keys)) yield { page: undefined, subpage: undefined }
}

interface CheckedPage {
  /** Whether the record of the page is damaged. */
  readonly damaged: boolean
  readonly subpages: readonly number[]
  /** What the buckets come to. */
  readonly hash: Uint8Array
  /** Undefined where a bucket is damaged. */
  readonly keys: number | undefined
}

async function checkPage({ read, sha256 }: StoredTree, slices: Slices, domain: string, page: number): Promise<CheckedPage> {
  const numbers = Array.from({ length: CHILDREN }, (_, subpage) => (page << 8) | subpage)
  const [record, ...records] = await read([pageName(domain, page), ...numbers.map((bucket) => bucketName(domain, bucket))])
  const stored = undamaged(() => readPage(record, domain, page))
  const hashes = emptyChildren()
  const subpages: number[] = []
  let keys: number | undefined = 0
  for (const [subpage, bucket] of numbers.entries()) {
    const entries = undamaged((): readonly TreeEntry[] => readBucket(records[subpage], domain, bucket))
    // What a damaged bucket held is not known: the page is judged as if its hash were right.
    const hash = entries ? bucketHash(sha256, entries) : stored ? hashAt(stored, subpage) : new Uint8Array(HASH_BYTES)
    hashes.set(hash, subpage * HASH_BYTES)
    keys = sum(keys, entries?.length)
    if (!entries || (stored && !isSame(hash, 0, stored, subpage * HASH_BYTES))) subpages.push(subpage)
    if (slices.spend((entries?.length ?? 0) * ENTRY_MICROSECONDS + 1)) await slices.giveWay()
  }
  if (slices.spend(TOP_MICROSECONDS)) await slices.giveWay()
  return { damaged: stored === undefined, subpages, hash: topOver(sha256, hashes), keys }
}

const isRight = ({ root, keys }: TreeRoot, computed: Uint8Array, counted: number | undefined): boolean =>
  isSame(root, 0, computed, 0) && (counted === undefined || keys === counted)

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b

/** What `read` returns; undefined where it refuses a record as damaged. */
function undamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof KernelError && error.code === 'ERR_INTERNAL') return undefined
    throw error
  }
}
