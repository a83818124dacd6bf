/** Finds the differing entries of domains whose roots differ, by asking level by level. */
import { Slices } from '../../../../core/base/slices.ts'
import { CHILDREN, FAN, HASH_BYTES } from '../geometry.ts'
import { compareHashes, equalBytesAt, isEmptyAt } from '../hash-list.ts'
import { TOP_MICROSECONDS } from '../levels.ts'
import type { StoredTree } from '../stored-tree.ts'
import { type Difference, goneBuckets, gonePages, type WantedRecord } from './difference.ts'
import { comparisonOf, nameOf, type OpenItem, type TreeComparison } from './open-item.ts'
import { QuestionsWriter } from './questions.ts'
import { type ChildrenReply, type EntriesReply, MAX_REPLY_BYTES, readReplies, type TreeReply } from './replies.ts'
import { invalidReply, type SendRequest } from './send-request.ts'

/** The number of items whose records are read with one call of `read`. */
const ITEMS_PER_READ = 32

/** The maximum number of questions about one bucket: enough for a bucket with millions of entries. */
const MAX_ROUNDS = 1_024

/**
 * Compares domains level by level. The positions that still have to be compared are on a stack. The lowest level is compared first, so the
 * stack never contains more than the items from a few replies.
 */
export class Descent {
  readonly #tree: StoredTree
  readonly #ask: SendRequest
  readonly #slices: Slices
  readonly #open: OpenItem[] = []
  /**
   * The expected length of a reply in bytes, for each type of item. It starts with an estimate and is updated from replies. It limits how
   * many questions are sent in one request.
   */
  readonly #expected = { pages: 326, buckets: 326, entries: 48 }

  constructor(tree: StoredTree, ask: SendRequest) {
    this.#tree = tree
    this.#ask = ask
    this.#slices = new Slices(tree.clock)
  }

  /** Yields the differences between the two trees in these domains. */
  async *compareDomains(domains: readonly string[]): AsyncGenerator<Difference> {
    this.#push(domains.map((domain) => ({ about: 'pages', domain })))
    while (this.#open.length > 0) {
      const { asked, request } = await this.#questions()
      const replies = readReplies(
        await this.#ask(request),
        asked.map(({ question }) => question),
      )
      if (!replies) throw invalidReply()
      // Ask again the questions that the reply had no room to answer.
      this.#push(asked.slice(replies.length).map(({ item }) => item))
      this.#updateExpected(asked, replies)
      const found: DifferenceBatch = { fetch: [], delete: [] }
      for (const [at, { to }] of replies.entries()) {
        const one = asked[at]!
        if (one.item.about === 'entries') this.#compareEntries(one as EntriesComparison, to as EntriesReply, found)
        else yield* this.#compareChildren(one as ChildrenComparison, to as ChildrenReply)
        if (this.#slices.spend(TOP_MICROSECONDS)) await this.#slices.giveWay()
      }
      if (found.fetch.length > 0 || found.delete.length > 0) yield found
    }
  }

  /** Takes as many items from the stack as fit into one request. */
  async #questions(): Promise<{ readonly asked: readonly TreeComparison[]; readonly request: Uint8Array }> {
    const writer = new QuestionsWriter()
    const asked: TreeComparison[] = []
    let room = MAX_REPLY_BYTES
    while (this.#open.length > 0 && room > 0) {
      const items = this.#open.splice(-ITEMS_PER_READ).reverse()
      const records = await this.#tree.read(items.map(nameOf))
      for (const [at, item] of items.entries()) {
        const one = comparisonOf(this.#tree.sha256, item, records[at])
        if (room <= 0 || !writer.add(one.question)) {
          this.#push(items.slice(at))
          return { asked, request: writer.written() }
        }
        asked.push(one)
        room -= this.#expected[item.about]
        if (this.#slices.spend(TOP_MICROSECONDS)) await this.#slices.giveWay()
      }
    }
    return { asked, request: writer.written() }
  }

  #push(items: readonly OpenItem[]): void {
    this.#open.push(...items.toReversed())
  }

  #updateExpected(asked: readonly TreeComparison[], replies: readonly TreeReply[]): void {
    for (const about of ['pages', 'buckets', 'entries'] as const) {
      const own = replies.filter((_, at) => asked[at]!.item.about === about)
      if (own.length > 0) this.#expected[about] = own.reduce((sum, { bytes }) => sum + bytes, 0) / own.length
    }
  }

  async *#compareChildren({ item, own }: ChildrenComparison, { below }: ChildrenReply): AsyncGenerator<Difference> {
    const differing: number[] = []
    const gone: number[] = []
    for (let at = 0; at < CHILDREN; at++) {
      const children = below[Math.floor(at / FAN)]
      if (!children || equalBytesAt(children, (at % FAN) * HASH_BYTES, own, at * HASH_BYTES)) continue
      if (isEmptyAt(children, at % FAN)) gone.push(at)
      else differing.push(at)
    }
    const { domain } = item
    if (item.about === 'pages') {
      this.#push(differing.map((page) => ({ about: 'buckets', domain, page })))
      yield* gonePages(this.#tree, domain, gone)
    } else {
      const bucketAt = (subpage: number): number => (item.page << 8) | subpage
      this.#push(differing.map((at) => ({ about: 'entries', domain, bucket: bucketAt(at), after: undefined, rounds: 0 })))
      yield* goneBuckets(this.#tree, domain, gone.map(bucketAt))
    }
  }

  #compareEntries(
    { item, question, own }: EntriesComparison,
    { reached, matched, entries }: EntriesReply,
    found: DifferenceBatch,
  ): void {
    const { domain, bucket, rounds } = item
    const until = reached ?? question.until
    if (until && rounds === MAX_ROUNDS) throw invalidReply()
    if (until) this.#push([{ ...item, after: until, rounds: rounds + 1 }])
    const theirs = new Set(entries.map(({ hash }) => textOf(hash)))
    for (const { hash } of entries) found.fetch.push({ domain, bucket, hash: hash.slice() })
    for (const [at, { hash, key }] of own.entries()) {
      const isCompared = !until || compareHashes(hash, until) <= 0
      const isThere = (matched[at >> 3]! & (0x80 >> (at & 7))) !== 0 || theirs.has(textOf(hash))
      if (isCompared && !isThere) found.delete.push(key)
    }
  }
}

type EntriesComparison = Extract<TreeComparison, { own: readonly unknown[] }>
type ChildrenComparison = Exclude<TreeComparison, EntriesComparison>

interface DifferenceBatch {
  readonly fetch: WantedRecord[]
  readonly delete: string[]
}

const textOf = (hash: Uint8Array): string => String.fromCharCode(...hash)
