/**
 * The replies of a tree comparison.
 *
 *   1                                                          the trees are equal
 *   2 | whether there are more (1) | domain, root ...          domains, ordered by name
 *   3 | reply ...                                              to the first questions, at least to one
 * A reply about pages or buckets is a bitmap (2) of the nodes that differ, and for each of them a sparse list of its 16 children, 20 bytes
 * each. A reply about entries is: whether the reply is truncated (1), and if so, the hash up to which it goes (20); a bitmap of the asker's
 * leaves that exist here; the number (2) of entries that the asker lacks, with hash and leaf of each (40).
 */
import { type ByteReader, readBytes } from '../byte-reader.ts'
import { bucketOf, FAN, HASH_BYTES } from '../geometry.ts'
import { compareHashes, isEmptyAt } from '../hash-list.ts'
import { type EntriesQuestion, readDomain, SHORT_BYTES, type TreeQuestion } from './questions.ts'

/** The maximum length of a reply in bytes. */
export const MAX_REPLY_BYTES = 262_144

/** For each node that differs, the hashes of the node's 16 children. */
export interface ChildrenReply {
  readonly about: 'children'
  readonly below: readonly (Uint8Array | undefined)[]
}

export interface EntriesReply {
  readonly about: 'entries'
  /** If the reply is truncated, the last hash that it covers. */
  readonly reached: Uint8Array | undefined
  /**
   * One bit for each of the asker's leaves, in order, starting with the highest bit. Bits after the last hash of a truncated reply have no
   * meaning.
   */
  readonly matched: Uint8Array
  /** The entries that the asker lacks. */
  readonly entries: readonly { readonly hash: Uint8Array; readonly leaf: Uint8Array }[]
}

export interface TreeReply {
  /** The length of the encoded reply. */
  readonly bytes: number
  readonly to: ChildrenReply | EntriesReply
}

export interface RootsReply {
  readonly further: boolean
  readonly roots: readonly (readonly [domain: string, root: Uint8Array])[]
}

/** Returns undefined for an invalid reply. @param after The domain in the request; empty if the request was for all roots. */
export function readRootsReply(bytes: Uint8Array, after: string): RootsReply | 'same' | undefined {
  if (bytes.length > MAX_REPLY_BYTES) return undefined
  return readBytes(bytes, (reader): RootsReply | 'same' => {
    const kind = reader.uint(1)
    if (kind === 1) {
      reader.check(after === '')
      return 'same'
    }
    reader.check(kind === 2)
    const further = reader.uint(1)
    const roots: (readonly [string, Uint8Array])[] = []
    while (reader.left > 0) {
      const domain = readDomain(reader)
      const root = reader.bytes(HASH_BYTES)
      reader.check(domain > (roots.at(-1)?.[0] ?? after) && !isEmptyAt(root, 0))
      roots.push([domain, root])
    }
    reader.check(further === 0 || (further === 1 && roots.length > 0))
    return { further: further === 1, roots }
  })
}

/** Returns undefined for an invalid reply to these questions. */
export function readReplies(bytes: Uint8Array, questions: readonly TreeQuestion[]): readonly TreeReply[] | undefined {
  if (bytes.length > MAX_REPLY_BYTES) return undefined
  return readBytes(bytes, (reader) => {
    const replies: TreeReply[] = []
    reader.check(reader.uint(1) === 3 && reader.left > 0)
    while (reader.left > 0) {
      const question = questions[replies.length]
      reader.check(question !== undefined)
      const before = reader.left
      const to = question!.about === 'entries' ? readEntries(reader, question as EntriesQuestion) : readChildren(reader)
      replies.push({ bytes: before - reader.left, to })
    }
    return replies
  })
}

function readChildren(reader: ByteReader): ChildrenReply {
  const differing = reader.uint(2)
  const below = Array.from({ length: FAN }, (_, at) => (differing & (0x8000 >> at) ? reader.sparse(FAN, HASH_BYTES) : undefined))
  return { about: 'children', below }
}

function readEntries(reader: ByteReader, { bucket, after, until, leaves }: EntriesQuestion): EntriesReply {
  const cut = reader.uint(1)
  reader.check(cut <= 1)
  const isAsked = (hash: Uint8Array, above: Uint8Array | undefined, most: Uint8Array | undefined): boolean =>
    bucketOf(hash) === bucket && (!above || compareHashes(hash, above) > 0) && (!most || compareHashes(hash, most) <= 0)
  const reached = cut ? reader.bytes(HASH_BYTES) : undefined
  reader.check(!reached || isAsked(reached, after, until))
  const matched = reader.bytes(Math.ceil(leaves.length / SHORT_BYTES / 8))
  const entries: { hash: Uint8Array; leaf: Uint8Array }[] = []
  for (let left = reader.uint(2); left > 0; left--) {
    const entry = { hash: reader.bytes(HASH_BYTES), leaf: reader.bytes(HASH_BYTES) }
    reader.check(isAsked(entry.hash, entries.at(-1)?.hash ?? after, reached ?? until))
    entries.push(entry)
  }
  return { about: 'entries', reached, matched, entries }
}
