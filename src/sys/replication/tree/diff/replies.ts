/**
 * Decodes the replies of a tree comparison.
 *
 * Lengths are in bytes, in parentheses. A reply message begins with its kind (1):
 *   1                                                          the trees are equal
 *   2 | whether there are more (1) | domain, root (20) ...     the domains and their roots, ordered by name
 *   3 | reply ...                                              replies to the first questions of the request, at least to one
 *
 * A reply about pages or buckets is a bitmap (2) of the inner nodes that differ, and for each of these nodes a sparse list of the hashes of
 * its 16 children (20 each). A reply about entries consists of: whether the reply is truncated (1); if so, the last hash that it covers (20);
 * a bitmap of the leaves in the question that the other tree also has; the number (2) of entries that the asking tree lacks; the hash and
 * the leaf of each of these entries (40).
 */
import { type ByteReader, readBytes } from '../byte-reader.ts'
import { bucketOf, FAN, HASH_BYTES } from '../geometry.ts'
import { compareHashes, isEmptyAt } from '../hash-list.ts'
import { type EntriesQuestion, readDomain, SHORT_BYTES, type TreeQuestion } from './questions.ts'

/** The maximum length of a reply in bytes. */
export const MAX_REPLY_BYTES = 262_144

/** The reply to a question about pages or buckets. */
export interface ChildrenReply {
  readonly about: 'children'
  readonly below: readonly (Uint8Array | undefined)[]
}

export interface EntriesReply {
  readonly about: 'entries'
  /** The last hash that the reply covers, if it is truncated; otherwise undefined. */
  readonly reached: Uint8Array | undefined
  /**
   * One bit for each leaf in the question, in order, starting with the highest bit: 1 if the other tree has the same leaf. If the reply is
   * truncated, bits for leaves after `reached` have no meaning.
   */
  readonly matched: Uint8Array
  /** The entries of the other tree whose leaves are not in the question. */
  readonly entries: readonly { readonly hash: Uint8Array; readonly leaf: Uint8Array }[]
}

export interface TreeReply {
  /** The length of the encoded reply in bytes. */
  readonly bytes: number
  readonly to: ChildrenReply | EntriesReply
}

export interface RootsReply {
  readonly further: boolean
  readonly roots: readonly (readonly [domain: string, root: Uint8Array])[]
}

/**
 * Decodes the reply to a request for roots. Returns undefined if the reply is invalid. @param after The domain in the request after which
 * roots were requested; empty for the first request.
 */
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

/**
 * Decodes a message of replies, one for each question in order. The message can end before the last question. Returns undefined if the
 * message is invalid.
 */
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
