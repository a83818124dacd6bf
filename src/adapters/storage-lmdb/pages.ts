/**
 * Checks that the pages that a meta page ("head" below) refers to are in the file and well-formed.
 *
 * A file may end before the last page that its head counts: pages that a transaction allocated and released again are never written. Such a
 * file is valid only if nothing refers to the missing pages, so all branches and leaves are checked. If the file is as long as its head
 * specifies, only the roots are checked.
 */
import { DamagedFile } from './damaged-file.ts'
import { BRANCH, LEAF, type LeafEntry, type LmdbPage, type MetaPage, readLmdbPage, type Tree } from './layout.ts'

/** The size in bytes of a number in the free tree: each key is a transaction number, and each value is a list of page numbers. */
const NUMBER_BYTES = 8

interface Step {
  readonly page: number
  /** The height of the page in its tree: 1 for a leaf. */
  readonly height: number
}

const rootOf = ({ root, depth }: Tree): Step[] => (root === undefined ? [] : [{ page: root, height: depth }])

const isFreeList = ({ keyBytes, bytes, run, tree, listed }: LeafEntry): boolean =>
  keyBytes === NUMBER_BYTES && !tree && (run !== undefined || (bytes % NUMBER_BYTES === 0 && listed < bytes / NUMBER_BYTES))

/** The pages that can be reached from one head of a file. */
export class Pages {
  readonly #head: MetaPage
  readonly #count: number
  readonly #read: (page: number) => DataView | undefined

  /** @param count The number of pages in the file. @param read Reads a page; undefined beyond the end of the file. */
  constructor(head: MetaPage, count: number, read: (page: number) => DataView | undefined) {
    this.#head = head
    this.#count = count
    this.#read = read
  }

  /**
   * @param isCommitted Whether a commit is certain to have written the head. A backup copy also contains heads that no commit wrote.
   * @throws DamagedFile if a root is missing or invalid.
   */
  judgeRoots(isCommitted: boolean): void {
    const { free, main, transaction } = this.#head
    for (const root of rootOf(free))
      for (const entry of this.#at(root).entries)
        if (!isFreeList(entry)) throw new DamagedFile('the free tree of a meta page is invalid')
    for (const root of rootOf(main)) {
      const { entries, transaction: written } = this.#at(root)
      // Every commit writes the root of the main tree, so the root has the transaction number of the head.
      if (isCommitted && written !== transaction)
        throw new DamagedFile('the main tree of a meta page was written by another transaction')
      for (const { tree } of entries) {
        if (!tree) throw new DamagedFile('the main tree of a meta page is invalid')
        for (const table of rootOf(tree)) this.#at(table)
      }
    }
  }

  /** Whether the file ends before the last page that the head counts. */
  get areShort(): boolean {
    return this.#count <= this.#head.lastPage
  }

  /** Checks all branches and leaves. @throws DamagedFile if a reference points outside the file. */
  walk(): void {
    const steps = [...rootOf(this.#head.free), ...rootOf(this.#head.main)]
    let seen = 0
    for (let step = steps.pop(); step; step = steps.pop()) {
      // Each page has exactly one reference, so more steps than pages mean a cycle.
      if (++seen > this.#head.lastPage) throw new DamagedFile('its pages form a cycle')
      const { below, entries } = this.#at(step)
      for (const page of below) steps.push({ page, height: step.height - 1 })
      for (const { tree, run } of entries) {
        if (tree) steps.push(...rootOf(tree))
        for (const page of run ?? []) this.#assertThere(page)
      }
    }
  }

  #at({ page, height }: Step): LmdbPage {
    this.#assertThere(page)
    const view = this.#read(page)
    if (!view) throw new DamagedFile(`it is truncated in page ${page}`)
    let found: LmdbPage
    try {
      found = readLmdbPage(view)
    } catch (cause) {
      throw new DamagedFile(`page ${page} is damaged`, { cause })
    }
    const { flags, transaction } = found
    if (found.page !== page || height < 1 || flags !== (height === 1 ? LEAF : BRANCH) || transaction > this.#head.transaction)
      throw new DamagedFile(`page ${page} does not match the reference to it`)
    return found
  }

  #assertThere(page: number): void {
    const inUse = this.#head.lastPage + 1
    if (page < 2 || page >= inUse)
      throw new DamagedFile(`a reference leads to page ${page}, but only pages 2 to ${inUse - 1} are in use`)
    if (page >= this.#count)
      throw new DamagedFile(`it is truncated: it has ${this.#count} pages, and a reference leads to page ${page}`)
  }
}
