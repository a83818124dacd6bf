/** Computes the hashes of each level of the tree, from buckets up to the root over all domains. */
import { toUtf8 } from '../../../core/base/bytes.ts'
import type { Hash } from '../../../core/crypto/backend.ts'
import type { TreeEntry } from './bucket-record.ts'
import { CHILDREN, FAN, HASH_BYTES } from './geometry.ts'
import { isEmptyAt } from './hash-list.ts'

export const NODE_BYTES = FAN * HASH_BYTES

/** The estimated cost of {@link topOver} in microseconds. */
export const TOP_MICROSECONDS = 250

/** Returns the hash of a bucket: a hash over the key hashes and leaves of all entries, in order. Zeros if the bucket is empty. */
export function bucketHash(sha256: Hash, entries: readonly TreeEntry[]): Uint8Array {
  if (entries.length === 0) return new Uint8Array(HASH_BYTES)
  const message = new Uint8Array(entries.length * 2 * HASH_BYTES)
  let at = 0
  for (const { hash, leaf } of entries) {
    message.set(hash, at)
    message.set(leaf, at + HASH_BYTES)
    at += 2 * HASH_BYTES
  }
  return sha256.digest(message).slice(0, HASH_BYTES)
}

/** Returns the hashes of the 16 inner nodes over 256 children. */
export function nodesOver(sha256: Hash, children: Uint8Array): Uint8Array {
  const nodes = new Uint8Array(NODE_BYTES)
  for (let at = 0; at < FAN; at++)
    nodes.set(nodeOver(sha256, children.subarray(at * NODE_BYTES, (at + 1) * NODE_BYTES)), at * HASH_BYTES)
  return nodes
}

/** Returns the hash of a page from the hashes of its 256 buckets, or the root of a domain from the hashes of its 256 pages. */
export const topOver = (sha256: Hash, children: Uint8Array): Uint8Array => nodeOver(sha256, nodesOver(sha256, children))

/** Returns the hash of an inner node over the hashes of its 16 children; zeros if all of the children are zeros. */
export const nodeOver = (sha256: Hash, children: Uint8Array): Uint8Array =>
  isEmptyAt(children, 0, NODE_BYTES) ? new Uint8Array(HASH_BYTES) : sha256.digest(children).slice(0, HASH_BYTES)

/**
 * Returns the root over all domains. It is a truncated SHA-256 over the domains, ordered by name: for each domain, the length of its name
 * (1 byte), the name, and the root. Domains with an empty root are omitted.
 */
export function rootOverAll(sha256: Hash, roots: Iterable<readonly [domain: string, root: Uint8Array]>): Uint8Array {
  const counted = [...roots].filter(([, root]) => !isEmptyAt(root, 0)).sort(([a], [b]) => (a < b ? -1 : 1))
  const message = new Uint8Array(counted.reduce((size, [domain]) => size + 1 + domain.length + HASH_BYTES, 0))
  let at = 0
  for (const [domain, root] of counted) {
    message[at] = domain.length
    message.set(toUtf8(domain), at + 1)
    message.set(root, at + 1 + domain.length)
    at += 1 + domain.length + HASH_BYTES
  }
  return sha256.digest(message).slice(0, HASH_BYTES)
}

/** Returns a list of 256 hashes that consist of zeros. */
export const emptyChildren = (): Uint8Array => new Uint8Array(CHILDREN * HASH_BYTES)
