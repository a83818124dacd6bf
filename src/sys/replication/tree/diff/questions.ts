/**
 * Encodes and decodes the requests of a tree comparison.
 *
 * Lengths are in bytes, in parentheses. Numbers are big-endian. A domain is encoded as the length of its name (1) and the name. A
 * request begins with its kind (1):
 *   1 | root over all domains (20)          asks whether the trees are equal, and for the roots if they are not
 *   2 | domain                              asks for the roots of the domains whose names come after this one
 *   3 | question ...                        asks which parts of the tree differ
 *
 * A question begins with one byte of flags. Bits 0 and 1 are the kind of the question. If bit 2 is set, the domain follows; otherwise the
 * question has the domain of the previous question. The rest depends on the kind:
 *   0: asks for the pages of a domain       the 16 inner nodes of the asking tree as a sparse list
 *   1: asks for the buckets of a page       page number (1), the 16 inner nodes of the asking tree as a sparse list
 *   2: asks for the entries of a bucket     bucket number (2), `after` (20) if bit 3 is set, `until` (20) if bit 4 is set, number of leaves
 *                                           (2), the leaves of the asking tree
 * Nodes and leaves are truncated to 8 bytes.
 */

import { toUtf8 } from '../../../../core/base/bytes.ts'
import { type ByteReader, readBytes } from '../byte-reader.ts'
import { ByteWriter } from '../byte-writer.ts'
import { FAN, HASH_BYTES, isDomain } from '../geometry.ts'

/** The maximum length of a request in bytes. */
export const MAX_REQUEST_BYTES = 65_536

/** The maximum number of questions in a request. */
export const MAX_QUESTIONS = 1_024

/**
 * The length of truncated hashes in bytes. A truncated hash suffices, because it is used only to decide whether both trees have the same
 * value.
 */
export const SHORT_BYTES = 8

const KIND_BITS = 3

const DOMAIN_FOLLOWS = 4

const AFTER_FOLLOWS = 8

const UNTIL_FOLLOWS = 16

/**
 * Asks for the hashes of a domain's pages. `nodes` contains the 16 inner nodes of the asking tree, truncated. The reply contains only the
 * pages below inner nodes that differ.
 */
export interface PagesQuestion {
  readonly about: 'pages'
  readonly domain: string
  readonly nodes: Uint8Array
}

/**
 * Asks for the hashes of a page's buckets. `nodes` contains the 16 inner nodes of the asking tree, truncated. The reply contains only the
 * buckets below inner nodes that differ.
 */
export interface BucketsQuestion {
  readonly about: 'buckets'
  readonly domain: string
  readonly page: number
  readonly nodes: Uint8Array
}

/**
 * Asks for the entries of a bucket that the asking tree lacks. If `after` and `until` are given, asks only about hashes that are greater
 * than `after` and not greater than `until`.
 */
export interface EntriesQuestion {
  readonly about: 'entries'
  readonly domain: string
  readonly bucket: number
  readonly after: Uint8Array | undefined
  readonly until: Uint8Array | undefined
  /** The first `SHORT_BYTES` bytes of each leaf that the asking tree has in that range. */
  readonly leaves: Uint8Array
}

export type TreeQuestion = PagesQuestion | BucketsQuestion | EntriesQuestion

export type TreeRequest =
  | { readonly ask: 'roots'; readonly root: Uint8Array }
  | { readonly ask: 'further'; readonly after: string }
  | { readonly ask: 'questions'; readonly questions: readonly TreeQuestion[] }

export const writeRootsRequest = (root: Uint8Array): Uint8Array => new ByteWriter().uint(1, 1).bytes(root).written()

export const writeFurtherRequest = (after: string): Uint8Array => writeDomain(new ByteWriter().uint(2, 1), after).written()

/** A request to which questions are added as long as they fit. */
export class QuestionsWriter {
  readonly #writer = new ByteWriter(1_024).uint(3, 1)
  #domain: string | undefined
  #count = 0

  /** Returns false if the request would become too long. The first question always fits if it has at most 4,096 leaves. */
  add(question: TreeQuestion): boolean {
    const before = this.#writer.length
    writeQuestion(this.#writer, question, question.domain !== this.#domain)
    if (this.#writer.length > MAX_REQUEST_BYTES || this.#count === MAX_QUESTIONS) {
      this.#writer.cut(before)
      return false
    }
    this.#domain = question.domain
    this.#count++
    return true
  }

  written(): Uint8Array {
    return this.#writer.written()
  }
}

/** Returns undefined for an invalid request. */
export function readTreeRequest(bytes: Uint8Array): TreeRequest | undefined {
  if (bytes.length > MAX_REQUEST_BYTES) return undefined
  return readBytes(bytes, (reader): TreeRequest => {
    const ask = reader.uint(1)
    if (ask === 1) return { ask: 'roots', root: reader.bytes(HASH_BYTES) }
    if (ask === 2) return { ask: 'further', after: readDomain(reader) }
    reader.check(ask === 3)
    return { ask: 'questions', questions: readQuestions(reader) }
  })
}

function readQuestions(reader: ByteReader): readonly TreeQuestion[] {
  const questions: TreeQuestion[] = []
  reader.check(reader.left > 0)
  while (reader.left > 0) {
    questions.push(readQuestion(reader, questions.at(-1)?.domain))
    reader.check(questions.length <= MAX_QUESTIONS)
  }
  return questions
}

export const writeDomain = (writer: ByteWriter, domain: string): ByteWriter => writer.uint(domain.length, 1).bytes(toUtf8(domain))

export function readDomain(reader: ByteReader): string {
  const domain = reader.text(reader.uint(1))
  reader.check(isDomain(domain))
  return domain
}

function writeQuestion(writer: ByteWriter, question: TreeQuestion, withDomain: boolean): void {
  const domainBit = withDomain ? DOMAIN_FOLLOWS : 0
  if (question.about !== 'entries') {
    writer.uint((question.about === 'pages' ? 0 : 1) | domainBit, 1)
    if (withDomain) writeDomain(writer, question.domain)
    if (question.about === 'buckets') writer.uint(question.page, 1)
    writer.sparse(question.nodes, SHORT_BYTES)
    return
  }
  const { after, until, leaves } = question
  writer.uint(2 | domainBit | (after ? AFTER_FOLLOWS : 0) | (until ? UNTIL_FOLLOWS : 0), 1)
  if (withDomain) writeDomain(writer, question.domain)
  writer.uint(question.bucket, 2)
  if (after) writer.bytes(after)
  if (until) writer.bytes(until)
  writer.uint(leaves.length / SHORT_BYTES, 2).bytes(leaves)
}

function readQuestion(reader: ByteReader, before: string | undefined): TreeQuestion {
  const bits = reader.uint(1)
  const domain = bits & DOMAIN_FOLLOWS ? readDomain(reader) : before
  const kind = bits & KIND_BITS
  reader.check(domain !== undefined && kind <= 2 && bits < 2 * (kind === 2 ? UNTIL_FOLLOWS : DOMAIN_FOLLOWS))
  const at = { domain: domain as string }
  if (kind === 0) return { about: 'pages', ...at, nodes: reader.sparse(FAN, SHORT_BYTES) }
  if (kind === 1) return { about: 'buckets', ...at, page: reader.uint(1), nodes: reader.sparse(FAN, SHORT_BYTES) }
  return {
    about: 'entries',
    ...at,
    bucket: reader.uint(2),
    after: bits & AFTER_FOLLOWS ? reader.bytes(HASH_BYTES) : undefined,
    until: bits & UNTIL_FOLLOWS ? reader.bytes(HASH_BYTES) : undefined,
    leaves: reader.bytes(reader.uint(2) * SHORT_BYTES),
  }
}
