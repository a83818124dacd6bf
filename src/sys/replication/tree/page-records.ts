/**
 * Encodes and decodes the stored records of pages and roots.
 *
 * A page record: format (1 byte), bitmap of the non-empty buckets (32 bytes), hashes of these buckets (20 bytes each). A root record:
 * format (1 byte), root (20 bytes), number of keys (uint48), bitmap of the non-empty pages (32 bytes), hashes of these pages (20 bytes
 * each).
 */
import { readBytes } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { damagedRecord } from './damaged-record.ts'
import { CHILDREN, HASH_BYTES, pageName, rootName } from './geometry.ts'
import { isEmptyAt } from './hash-list.ts'
import { emptyChildren } from './levels.ts'

const FORMAT = 1

const COUNT_BYTES = 6

export interface TreeRoot {
  /** The hash over the whole domain, 20 bytes; zeros for an empty domain. */
  readonly root: Uint8Array
  /** The number of keys in the domain. */
  readonly keys: number
  /** The hashes of the 256 pages, 20 bytes each. */
  readonly pages: Uint8Array
}

/** @param buckets The hashes of the 256 buckets, 20 bytes each, not all of them zeros. */
export const writePage = (buckets: Uint8Array): Uint8Array =>
  new ByteWriter(2_048).uint(FORMAT, 1).sparse(buckets, HASH_BYTES).written()

/**
 * Decodes a page record. Returns the hashes of the page's 256 buckets; zeros if `bytes` is undefined. The caller may change the returned
 * array.
 *
 * @throws KernelError ERR_INTERNAL if the record is damaged.
 */
export function readTreePage(bytes: Uint8Array | undefined, domain: string, page: number): Uint8Array {
  if (!bytes) return emptyChildren()
  const buckets = readBytes(bytes, (reader) => {
    reader.check(reader.uint(1) === FORMAT)
    const list = reader.sparse(CHILDREN, HASH_BYTES)
    reader.check(!isEmptyAt(list, 0, list.length))
    return list
  })
  if (!buckets) throw damagedRecord(pageName(domain, page))
  return buckets
}

/** Encodes the root record of a domain. The domain must not be empty. */
export function writeRoot({ root, keys, pages }: TreeRoot): Uint8Array {
  return new ByteWriter(2_048).uint(FORMAT, 1).bytes(root).uint(keys, COUNT_BYTES).sparse(pages, HASH_BYTES).written()
}

/**
 * Decodes the root record of a domain. Returns the root of an empty domain if `bytes` is undefined. The caller may change `pages`.
 *
 * @throws KernelError ERR_INTERNAL if the record is damaged.
 */
export function readTreeRoot(bytes: Uint8Array | undefined, domain: string): TreeRoot {
  if (!bytes) return Object.freeze({ root: new Uint8Array(HASH_BYTES), keys: 0, pages: emptyChildren() })
  const read = readBytes(bytes, (reader) => {
    reader.check(reader.uint(1) === FORMAT)
    const root = reader.bytes(HASH_BYTES)
    const keys = reader.uint(COUNT_BYTES)
    const pages = reader.sparse(CHILDREN, HASH_BYTES)
    reader.check(!isEmptyAt(root, 0) && !isEmptyAt(pages, 0, pages.length) && keys > 0)
    return Object.freeze({ root, keys, pages })
  })
  if (!read) throw damagedRecord(rootName(domain))
  return read
}
