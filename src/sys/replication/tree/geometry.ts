/**
 * The shape of a hash tree and the names of its stored records. A domain has 256 pages of 256 buckets; over the 256 of either level
 * stand 16 inner nodes of 16 children, which are computed and never stored.
 */

/** Of every hash: SHA-256 and HMAC-SHA-256, cut. */
export const HASH_BYTES = 20

/** Children of an inner node, and inner nodes below a page's hash or a root. */
export const FAN = 16

/** Pages of a domain, and buckets of a page. */
export const CHILDREN = 256

/**
 * The name of a stored record below a prefix of the caller's: `<domain>/bucket/<4 hex>`, `<domain>/page/<2 hex>` or `<domain>/root`. A
 * record that would hold nothing is absent.
 */
export type RecordName = string

/** A record to write, or to delete where `bytes` is undefined. */
export interface RecordWrite {
  readonly name: RecordName
  readonly bytes: Uint8Array | undefined
}

const DOMAIN = /^[!-.0-~]{1,64}$/

/** Whether a text can name a domain: 1 to 64 printable ASCII characters without blanks and slashes. */
export const isDomain = (text: string): boolean => DOMAIN.test(text)

/** The bucket, 0 to 65,535, of a key with this hash. Its page is the upper byte, its subpage the lower. */
export const bucketOf = (keyHash: Uint8Array): number => (keyHash[0]! << 8) | keyHash[1]!

export const bucketName = (domain: string, bucket: number): RecordName =>
  `${domain}/bucket/${bucket.toString(16).padStart(4, '0')}`

export const pageName = (domain: string, page: number): RecordName => `${domain}/page/${page.toString(16).padStart(2, '0')}`

export const rootName = (domain: string): RecordName => `${domain}/root`
