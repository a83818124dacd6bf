/**
 * Keeps tree entries in memory, grouped by page and domain. If the entries exceed the memory limit, the buffer drops the pages with the
 * highest numbers.
 */

import { type TreeEntry, writeTreeEntry } from './bucket-record.ts'
import { ByteWriter } from './byte-writer.ts'
import { CHILDREN } from './geometry.ts'

/** The estimated memory overhead of one group (a page of a domain), in bytes. */
const BIN_BYTES = 512

export class EntryBuffer {
  readonly #most: number
  readonly #from: number
  #to = CHILDREN
  #bytes = 0
  readonly #pages: Map<string, ByteWriter>[] = Array.from({ length: CHILDREN }, () => new Map())

  /** @param from The number of the first page to keep. This page is kept even if it exceeds the limit. */
  constructor(from: number, mostBytes: number) {
    this.#from = from
    this.#most = mostBytes
  }

  /** The number of the first page after those in the buffer. */
  get end(): number {
    return this.#to
  }

  takes(page: number): boolean {
    return page >= this.#from && page < this.#to
  }

  /** Adds an entry. `takes` must return true for the page of the entry. */
  add(domain: string, entry: TreeEntry): void {
    const bins = this.#pages[entry.hash[0]!]!
    let bin = bins.get(domain)
    if (!bin) {
      bin = new ByteWriter()
      bins.set(domain, bin)
      this.#bytes += BIN_BYTES
    }
    const before = bin.length
    writeTreeEntry(bin, entry)
    this.#bytes += bin.length - before
    while (this.#bytes > this.#most && this.#to > this.#from + 1) this.#giveUp(--this.#to)
  }

  /**
   * Removes a page from the buffer and returns its entries for each domain, in the order in which they were added, encoded by
   * `writeTreeEntry`.
   */
  *take(page: number): Generator<readonly [domain: string, entries: Uint8Array]> {
    for (const [domain, bin] of this.#pages[page]!) yield [domain, bin.written()]
    this.#giveUp(page)
  }

  #giveUp(page: number): void {
    for (const bin of this.#pages[page]!.values()) this.#bytes -= bin.length + BIN_BYTES
    this.#pages[page]!.clear()
  }
}
