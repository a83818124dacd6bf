/**
 * Compares tree records with the hashes in their parents. A record that does not match its parent was replaced or removed outside the
 * kernel. If such a record were accepted, the entries that it lacks would count as deleted. All records must be of one version of the tree.
 */
import type { Hash } from '../../../core/crypto/backend.ts'
import { readBucket, type TreeEntry } from './bucket-record.ts'
import { Children } from './children.ts'
import { damagedRecord } from './damaged-record.ts'
import { bucketName, HASH_BYTES, pageName, type RecordName, rootName } from './geometry.ts'
import { equalBytesAt } from './hash-list.ts'
import { bucketHash } from './levels.ts'
import { readTreePage, readTreeRoot } from './page-records.ts'
import type { Roots } from './stored-tree.ts'

export interface ProvenRoot {
  /** The number of keys in the domain. */
  readonly keys: number
  readonly pages: Children
}

const EMPTY = new Uint8Array(HASH_BYTES)

export class ProvenRecords {
  readonly #sha256: Hash
  readonly #records: ReadonlyMap<RecordName, Uint8Array | undefined>
  readonly #above: Roots | undefined
  readonly #roots = new Map<RecordName, ProvenRoot>()
  readonly #pages = new Map<RecordName, Children>()

  /**
   * @param records The records by name. They must include the page of every bucket and the root of every page.
   * @param above The expected roots; undefined to check roots only for internal consistency.
   */
  constructor(sha256: Hash, records: ReadonlyMap<RecordName, Uint8Array | undefined>, above?: Roots) {
    this.#sha256 = sha256
    this.#records = records
    this.#above = above
  }

  /**
   * Returns the verified root of a domain. @throws KernelError ERR_INTERNAL if a record is damaged or does not match its parent; the other
   * methods also throw this.
   */
  root(domain: string): ProvenRoot {
    const name = rootName(domain)
    const known = this.#roots.get(name)
    if (known) return known
    const { root, keys, pages } = readTreeRoot(this.#records.get(name), domain)
    const proven = { keys, pages: new Children(this.#sha256, pages) }
    const above = this.#above ? (this.#above.get(domain) ?? EMPTY) : root
    if (!equalBytesAt(root, 0, above, 0) || !equalBytesAt(root, 0, proven.pages.top, 0)) throw damagedRecord(name)
    this.#roots.set(name, proven)
    return proven
  }

  /** Returns the verified hashes of the buckets of a page. */
  page(domain: string, page: number): Children {
    const name = pageName(domain, page)
    const known = this.#pages.get(name)
    if (known) return known
    const { pages } = this.root(domain)
    const proven = new Children(this.#sha256, readTreePage(this.#records.get(name), domain, page))
    if (!pages.has(page, proven.top)) throw damagedRecord(name)
    this.#pages.set(name, proven)
    return proven
  }

  bucket(domain: string, bucket: number): readonly TreeEntry[] {
    const page = this.page(domain, bucket >> 8)
    const entries = readBucket(this.#records.get(bucketName(domain, bucket)), domain, bucket)
    if (!page.has(bucket & 255, bucketHash(this.#sha256, entries))) throw damagedRecord(bucketName(domain, bucket))
    return entries
  }
}
