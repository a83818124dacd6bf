/**
 * The shape of the Merkle tree and the names of its stored records. A domain has 256 pages of 256 buckets each. Above the 256 children of a
 * page or root there are 16 inner nodes with 16 children each, which are computed and never stored.
 */

/** The length of every hash in bytes. Hashes are truncated SHA-256 or HMAC-SHA-256. */
export const HASH_BYTES = 20

/** The number of inner nodes below a page or root, and the number of children of each inner node. */
export const FAN = 16

/** The number of pages in a domain, and the number of buckets in a page. */
export const CHILDREN = 256

/**
 * The name of a stored record, below a prefix that the caller chooses: `<domain>/bucket/<4 hex>`, `<domain>/page/<2 hex>` or
 * `<domain>/root`. Empty records are not stored.
 */
export type RecordName = string

/** A record to write, or to delete if `bytes` is undefined. */
export interface RecordWrite {
  readonly name: RecordName
  readonly bytes: Uint8Array | undefined
}

const DOMAIN = /^[!-.0-~]{1,64}$/

/** Whether a string can be the name of a domain: 1 to 64 printable ASCII characters without blanks and slashes. */
export const isDomain = (text: string): boolean => DOMAIN.test(text)

/**
 * The number of the bucket, 0 to 65,535, to which a key with this hash belongs. The upper byte is the page, and the lower byte is the
 * position of the bucket in the page (`subpage`).
 */
export const bucketOf = (keyHash: Uint8Array): number => (keyHash[0]! << 8) | keyHash[1]!

export const bucketName = (domain: string, bucket: number): RecordName =>
  `${domain}/bucket/${bucket.toString(16).padStart(4, '0')}`

export const pageName = (domain: string, page: number): RecordName => `${domain}/page/${page.toString(16).padStart(2, '0')}`

export const rootName = (domain: string): RecordName => `${domain}/root`
