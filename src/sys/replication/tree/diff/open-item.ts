/** A position at which the two trees differ, and the question that is sent to the other cluster about this position. */
import type { Hash } from '../../../../core/crypto/backend.ts'
import { readBucket, type TreeEntry } from '../bucket-record.ts'
import { bucketName, FAN, HASH_BYTES, pageName, type RecordName, rootName } from '../geometry.ts'
import { compareHashes } from '../hash-list.ts'
import { nodesOver } from '../levels.ts'
import { readTreePage, readTreeRoot } from '../page-records.ts'
import { type BucketsQuestion, type EntriesQuestion, type PagesQuestion, SHORT_BYTES } from './questions.ts'

export type OpenItem =
  | { readonly about: 'pages'; readonly domain: string }
  | { readonly about: 'buckets'; readonly domain: string; readonly page: number }
  | {
      readonly about: 'entries'
      readonly domain: string
      readonly bucket: number
      /** The hash up to which the bucket has already been compared; undefined if nothing of the bucket was compared yet. */
      readonly after: Uint8Array | undefined
      /** The number of questions already asked about the bucket. */
      readonly rounds: number
    }

export type EntriesItem = Extract<OpenItem, { about: 'entries' }>

/**
 * A question, together with the data of this tree with which the reply is compared: the hashes of 256 children, or the entries of a bucket.
 */
export type TreeComparison =
  | {
      readonly item: Exclude<OpenItem, EntriesItem>
      readonly question: PagesQuestion | BucketsQuestion
      readonly own: Uint8Array
    }
  | { readonly item: EntriesItem; readonly question: EntriesQuestion; readonly own: readonly TreeEntry[] }

/** The maximum number of leaves in one question. */
const MAX_LEAVES = 4_096

/** Returns the name of the tree record that an item concerns. */
export function nameOf(item: OpenItem): RecordName {
  if (item.about === 'pages') return rootName(item.domain)
  if (item.about === 'buckets') return pageName(item.domain, item.page)
  return bucketName(item.domain, item.bucket)
}

/**
 * Returns the question for an item.
 *
 * @param record The stored record of the item; undefined if it is absent.
 * @throws KernelError ERR_INTERNAL if the record is damaged.
 */
export function comparisonOf(sha256: Hash, item: OpenItem, record: Uint8Array | undefined): TreeComparison {
  const { domain } = item
  if (item.about === 'pages') {
    const own = readTreeRoot(record, domain).pages
    return { item, own, question: { about: 'pages', domain, nodes: shortNodes(sha256, own) } }
  }
  if (item.about === 'buckets') {
    const own = readTreePage(record, domain, item.page)
    return { item, own, question: { about: 'buckets', domain, page: item.page, nodes: shortNodes(sha256, own) } }
  }
  const { bucket, after } = item
  const rest = readBucket(record, domain, bucket).filter(({ hash }) => !after || compareHashes(hash, after) > 0)
  const own = rest.slice(0, MAX_LEAVES)
  const until = own.length < rest.length ? own.at(-1)!.hash : undefined
  const leaves = new Uint8Array(own.length * SHORT_BYTES)
  for (const [at, { leaf }] of own.entries()) leaves.set(leaf.subarray(0, SHORT_BYTES), at * SHORT_BYTES)
  return { item, own, question: { about: 'entries', domain, bucket, after, until, leaves } }
}

function shortNodes(sha256: Hash, children: Uint8Array): Uint8Array {
  const nodes = nodesOver(sha256, children)
  const short = new Uint8Array(FAN * SHORT_BYTES)
  for (let at = 0; at < FAN; at++) short.set(nodes.subarray(at * HASH_BYTES, at * HASH_BYTES + SHORT_BYTES), at * SHORT_BYTES)
  return short
}
