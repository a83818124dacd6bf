/**
 * What the other side replies.
 *
 *   1                                                          the trees are equal
 *   2 | whether there are further ones (1) | domain, root ...  domains in the order of their names
 *   3 | reply ...                                              to the first of the questions, at least to one
 * To a question for pages or buckets: bitmap (2) of the nodes that differ, and for each a list with bitmap of its 16 children, 20 bytes
 * each. For entries: whether the reply is cut (1), and if so the hash up to which it goes (20); a bitmap of the asker's leaves that are here,
 * too; the number (2) of the entries that the asker does not have, and of each hash and leaf (40).
 */
import { type ByteReader, readBytes } from '../byte-reader.ts'
import { bucketOf, FAN, HASH_BYTES } from '../geometry.ts'
import { compareHashes, isEmptyAt } from '../hash-list.ts'
import { type EntriesQuestion, readDomain, SHORT_BYTES, type TreeQuestion } from './questions.ts'

/** No reply is longer. */
export const MAX_REPLY_BYTES = 262_144

/** The hashes of 16 children below each node that differs. */
export interface ChildrenReply {
  readonly about: 'children'
  readonly below: readonly (Uint8Array | undefined)[]
}

export interface EntriesReply {
  readonly about: 'entries'
  /** Where the reply is cut: it is about the hashes up to this one. */
  readonly reached: Uint8Array | undefined
  /** A bit for each of the asker's leaves, the first one highest; of no meaning behind a cut. */
  readonly matched: Uint8Array
  /** What the asker does not have. */
  readonly entries: readonly { readonly hash: Uint8Array; readonly leaf: Uint8Array }[]
}

export interface TreeReply {
  /** How long it was. */
  readonly bytes: number
  readonly to: ChildrenReply | EntriesReply
}

export interface RootsReply {
  readonly further: boolean
  readonly roots: readonly (readonly [domain: string, root: Uint8Array])[]
}

/** Undefined for bytes that are no reply to the question for roots. @param after The domain behind which was asked, else empty. */
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

/** Undefined for bytes that are no reply to these questions. */
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
