/**
 * Entries gathered in memory, by page and domain, in no more bytes than are allowed: where they do not fit, the last pages are given up.
 */

import { type TreeEntry, writeEntry } from './bucket-record.ts'
import { ByteWriter } from './byte-writer.ts'
import { CHILDREN } from './geometry.ts'

/** An estimate of what a bin costs beside its bytes. */
const BIN_BYTES = 512

export class EntryBuffer {
  readonly #most: number
  readonly #from: number
  #to = CHILDREN
  #bytes = 0
  readonly #pages: Map<string, ByteWriter>[] = Array.from({ length: CHILDREN }, () => new Map())

  /** @param from The first page to gather. It is held however large it is. */
  constructor(from: number, mostBytes: number) {
    this.#from = from
    this.#most = mostBytes
  }

  /** The first page that is not gathered. */
  get end(): number {
    return this.#to
  }

  takes(page: number): boolean {
    return page >= this.#from && page < this.#to
  }

  /** The entry's page is one that is taken. */
  add(domain: string, entry: TreeEntry): void {
    const bins = this.#pages[entry.hash[0]!]!
    let bin = bins.get(domain)
    if (!bin) {
      bin = new ByteWriter()
      bins.set(domain, bin)
      this.#bytes += BIN_BYTES
    }
    const before = bin.length
    writeEntry(bin, entry)
    this.#bytes += bin.length - before
    while (this.#bytes > this.#most && this.#to > this.#from + 1) this.#giveUp(--this.#to)
  }

  /** The entries of a page by domain, as `writeEntry` writes them, in the order in which they were added. They are held no longer. */
  *take(page: number): Generator<readonly [domain: string, entries: Uint8Array]> {
    for (const [domain, bin] of this.#pages[page]!) yield [domain, bin.written()]
    this.#giveUp(page)
  }

  #giveUp(page: number): void {
    for (const bin of this.#pages[page]!.values()) this.#bytes -= bin.length + BIN_BYTES
    this.#pages[page]!.clear()
  }
}
