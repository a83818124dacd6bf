/** Answers the requests of another cluster that compares its Merkle tree with the tree of this cluster. */
import { Slices } from '../../../../core/base/slices.ts'
import type { TreeEntry } from '../bucket-record.ts'
import { ByteWriter } from '../byte-writer.ts'
import { bucketName, FAN, HASH_BYTES, pageName, type RecordName, rootName } from '../geometry.ts'
import { compareHashes, equalBytesAt, isEmptyAt } from '../hash-list.ts'
import { rootOverAll, TOP_MICROSECONDS } from '../levels.ts'
import { ProvenRecords } from '../proven-records.ts'
import type { Roots, StoredTree } from '../stored-tree.ts'
import { type EntriesQuestion, readTreeRequest, SHORT_BYTES, type TreeQuestion, writeDomain } from './questions.ts'
import { MAX_REPLY_BYTES } from './replies.ts'

/** The number of questions whose records are read with one call of `read`. */
const QUESTIONS_PER_READ = 32

const ENTRY_BYTES = 2 * HASH_BYTES

const ENTRY_MICROSECONDS = 8

/** The tree as the asking cluster may see it. Domains that are not in `roots` are treated as absent. */
export interface AnsweringTree extends Pick<StoredTree, 'read' | 'sha256' | 'clock'> {
  /** The roots as of the same version of the tree that `read` reads. */
  readonly roots: Roots
}

/**
 * Returns the reply to a request that `compareTrees` sent; undefined if the request is invalid. A reply has at most 256 KiB. Requests are
 * independent of each other, so the tree may change between two requests.
 *
 * @throws KernelError ERR_INTERNAL if a tree record is damaged, or does not match the hash in its parent.
 */
export async function answerRequest(tree: AnsweringTree, bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const request = readTreeRequest(bytes)
  if (request?.ask === 'roots') return answerRoots(tree, request.root)
  if (request?.ask === 'further') return writeRoots(tree.roots, request.after)
  return request && (await answerQuestions(tree, request.questions))
}

const answerRoots = ({ sha256, roots }: AnsweringTree, root: Uint8Array): Uint8Array =>
  equalBytesAt(rootOverAll(sha256, roots), 0, root, 0) ? new Uint8Array([1]) : writeRoots(roots, '')

function writeRoots(roots: Roots, after: string): Uint8Array {
  const writer = new ByteWriter(1_024).uint(2, 1).uint(0, 1)
  for (const domain of [...roots.keys()].filter((one) => one > after).sort()) {
    const root = roots.get(domain)!
    if (isEmptyAt(root, 0)) continue
    const before = writer.length
    writeDomain(writer, domain).bytes(root)
    if (writer.length <= MAX_REPLY_BYTES) continue
    writer.cut(before)
    const reply = writer.written()
    reply[1] = 1
    return reply
  }
  return writer.written()
}

async function answerQuestions(tree: AnsweringTree, questions: readonly TreeQuestion[]): Promise<Uint8Array> {
  const slices = new Slices(tree.clock)
  const writer = new ByteWriter(4_096).uint(3, 1)
  for (let from = 0; from < questions.length; from += QUESTIONS_PER_READ) {
    const some = questions.slice(from, from + QUESTIONS_PER_READ)
    const names = [...new Set(some.filter(({ domain }) => tree.roots.has(domain)).flatMap(namesOf))]
    const records = await tree.read(names)
    const proven = new ProvenRecords(tree.sha256, new Map(names.map((name, at) => [name, records[at]])), tree.roots)
    for (const [at, question] of some.entries()) {
      const isFirst = from + at === 0
      if (!writeReply(writer, question, proven, isFirst)) return writer.written()
      if (slices.spend(workOf(question))) await slices.giveWay()
    }
  }
  return writer.written()
}

/** Returns the record that a question concerns, and the parents of that record. */
function namesOf(question: TreeQuestion): readonly RecordName[] {
  const { domain } = question
  if (question.about === 'pages') return [rootName(domain)]
  if (question.about === 'buckets') return [rootName(domain), pageName(domain, question.page)]
  const { bucket } = question
  return [rootName(domain), pageName(domain, bucket >> 8), bucketName(domain, bucket)]
}

const workOf = (question: TreeQuestion): number =>
  question.about === 'entries' ? ENTRY_MICROSECONDS * (16 + question.leaves.length / SHORT_BYTES) : TOP_MICROSECONDS

/**
 * Writes the reply to a question. If the reply does not fit, writes nothing and returns false. A reply about entries is truncated instead if
 * it is the first in its message, so that every message makes progress.
 */
function writeReply(writer: ByteWriter, question: TreeQuestion, proven: ProvenRecords, isFirst: boolean): boolean {
  if (question.about === 'entries')
    return writeEntries(writer, question, proven.bucket(question.domain, question.bucket), isFirst)
  const { domain, nodes } = question
  const { hashes: children, nodes: own } =
    question.about === 'pages' ? proven.root(domain).pages : proven.page(domain, question.page)
  const before = writer.length
  const differing = Array.from({ length: FAN }, (_, at) => at).filter(
    (at) => !equalBytesAt(own, at * HASH_BYTES, nodes, at * SHORT_BYTES, SHORT_BYTES),
  )
  writer.uint(
    differing.reduce((bits, at) => bits | (0x8000 >> at), 0),
    2,
  )
  for (const at of differing) writer.sparse(children.subarray(at * FAN * HASH_BYTES, (at + 1) * FAN * HASH_BYTES), HASH_BYTES)
  if (writer.length <= MAX_REPLY_BYTES) return true
  writer.cut(before)
  return false
}

function writeEntries(
  writer: ByteWriter,
  { after, until, leaves }: EntriesQuestion,
  all: readonly TreeEntry[],
  isFirst: boolean,
): boolean {
  const entries = all.filter(
    ({ hash }) => (!after || compareHashes(hash, after) > 0) && (!until || compareHashes(hash, until) <= 0),
  )
  const asked = Array.from({ length: leaves.length / SHORT_BYTES }, (_, at) => shortText(leaves, at * SHORT_BYTES))
  const theirs = new Set(asked)
  const missing = entries.filter(({ leaf }) => !theirs.has(shortText(leaf, 0)))
  const bitmap = new Uint8Array(Math.ceil(asked.length / 8))
  const room = MAX_REPLY_BYTES - writer.length - (1 + HASH_BYTES + bitmap.length + 2)
  const sent = missing.slice(0, Math.max(0, Math.floor(room / ENTRY_BYTES)))
  const cut = sent.length < missing.length
  if (room < 0 || (cut && !isFirst)) return false
  const reached = cut ? sent.at(-1)!.hash : undefined
  const ours = new Set(entries.map(({ leaf }) => shortText(leaf, 0)))
  for (const [at, text] of asked.entries()) if (ours.has(text)) bitmap[at >> 3]! |= 0x80 >> (at & 7)
  writer.uint(cut ? 1 : 0, 1)
  if (reached) writer.bytes(reached)
  writer.bytes(bitmap).uint(sent.length, 2)
  for (const { hash, leaf } of sent) writer.bytes(hash).bytes(leaf)
  return true
}

const shortText = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + SHORT_BYTES))
