/**
 * Whether LMDB may map a data file.
 *
 * LMDB believes both heads of the file and its length. A file that was cut off, or a head that says what is not so, makes it read
 * outside of the file or of a page, which ends the process where nobody can catch it. So both heads are judged here first, then the
 * length, then the pages that the newest head leads to.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { DamagedFile } from './damaged-file.ts'
import { HEAD_BYTES, type Head, META, readHead, type Tree } from './layout.ts'
import { Pages } from './pages.ts'

const DATA_VERSION = 2
const LEAST_PAGE_BYTES = 512
const MOST_PAGE_BYTES = 64 * 1024
const INTEGER_KEYS = 0x08
/** Mapped at an address that the head names. */
const FIXED_MAP = 0x01
/** What a process of a 64-bit machine can address. */
const MOST_MAP_BYTES = 2 ** 47
/** LMDB goes down no further. */
const MOST_DEPTH = 32

/** How often heads are read that others keep changing. */
const MOST_TRIES = 100

const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value))

/** What is wrong with a tree, by its numbers alone. */
function treeFault({ root, depth, pages }: Tree, lastPage: number): string | undefined {
  if ((root === undefined) !== (depth === 0)) return 'has a root without a depth, or a depth without a root'
  if (depth > MOST_DEPTH) return 'is deeper than LMDB goes'
  if (root !== undefined && (root < 2 || root > lastPage)) return 'begins outside of the pages in use'
  return pages > lastPage - 1 ? 'has more pages than are in use' : undefined
}

/** What is wrong with a head by itself. `number` says which page it is. */
function headFault(head: Head, number: number): string | undefined {
  const { free, main, lastPage, transaction } = head
  const pageBytes = free.pad
  if (!head.isLmdb) return 'was not written by LMDB'
  if (head.version !== DATA_VERSION) return `has data version ${head.version}; ${DATA_VERSION} can be read`
  if (head.page !== number || head.pageFlags !== META) return 'is no head'
  if (!isPowerOfTwo(pageBytes) || pageBytes < LEAST_PAGE_BYTES || pageBytes > MOST_PAGE_BYTES)
    return `has pages of ${pageBytes} bytes`
  if (head.address !== 0 || (free.flags & FIXED_MAP) !== 0 || (free.flags & INTEGER_KEYS) === 0)
    return 'has settings that cannot be'
  if (main.flags !== 0 || main.pad !== 0) return 'has a main tree with settings that cannot be'
  if (lastPage < 1 || lastPage >= MOST_MAP_BYTES / pageBytes) return `has a last page ${lastPage}`
  if (head.mapBytes < (lastPage + 1) * pageBytes || head.mapBytes > MOST_MAP_BYTES)
    return `has ${lastPage + 1} pages in a map of ${head.mapBytes} bytes`
  if (transaction > Number.MAX_SAFE_INTEGER) return 'has the number of a transaction that cannot be'
  for (const [name, tree] of [['free', free] as const, ['main', main] as const]) {
    const fault = treeFault(tree, lastPage)
    if (fault) return `has a ${name} tree that ${fault}`
  }
  return undefined
}

function readAt(file: number, bytes: number, position: number): DataView | undefined {
  const page = new Uint8Array(bytes)
  return readSync(file, page, 0, bytes, position) === bytes ? new DataView(page.buffer) : undefined
}

/** Both, as they were at one moment: others may be writing. */
function readHeads(file: number): readonly [Head, Head] {
  let last = ''
  for (let attempt = 1; ; attempt++) {
    const first = readAt(file, HEAD_BYTES, 0)
    if (!first) throw new DamagedFile('it is cut off in its first head')
    const head = readHead(first)
    const fault = headFault(head, 0)
    // The size of a page never changes, so without it the second one cannot be found.
    const second = fault ? undefined : readAt(file, HEAD_BYTES, head.free.pad)
    if (!fault && !second) throw new DamagedFile('it is cut off in its second head')
    const heads = [head, second && readHead(second)] as const
    const seen = JSON.stringify(heads)
    if (seen === last || attempt === MOST_TRIES) {
      if (fault || !heads[1]) throw new DamagedFile(`its first head ${fault}`)
      return [head, heads[1]]
    }
    last = seen
  }
}

interface Judged {
  readonly newest: Head
  /** Undefined where nothing was written to it yet: in a new file, or in a copy, whose other head may have any number. */
  readonly older: Head | undefined
}

function judgeHeads(heads: readonly [Head, Head]): Judged {
  const [first, second] = heads
  const fault = headFault(second, 1)
  if (fault) throw new DamagedFile(`its second head ${fault}`)
  if (first.free.pad !== second.free.pad || first.free.flags !== second.free.flags)
    throw new DamagedFile('its two heads differ in what never changes')
  const [older, newest] = first.transaction < second.transaction ? [first, second] : [second, first]
  const isUnused = older.transaction === 0 && !older.main.root && !older.free.root && older.lastPage === 1
  const isInTurn = first.transaction % 2 === 0 && newest.transaction === older.transaction + 1
  if (!isUnused && (!isInTurn || newest.lastPage < older.lastPage))
    throw new DamagedFile('its two heads are not of one transaction and the one before it')
  return { newest, older: isUnused ? undefined : older }
}

function judgePages({ newest, older }: Judged, file: number): void {
  const pageBytes = newest.free.pad
  // Asked behind the heads: what they speak of was written before them.
  const count = Math.floor(fstatSync(file).size / pageBytes)
  const read = (page: number) => readAt(file, pageBytes, page * pageBytes)
  const pages = new Pages(newest, count, read)
  pages.judgeRoots(older !== undefined)
  // It may be the one head that a copy began with.
  if (older) new Pages(older, count, read).judgeRoots(false)
  if (pages.areShort) pages.walk()
}

/**
 * Judges an open file. An empty one is what a store begins with.
 * @throws DamagedFile saying what is wrong.
 */
function judge(file: number): void {
  for (let attempt = 1; ; attempt++) {
    const { size } = fstatSync(file)
    if (size === 0) return
    let heads: Judged | undefined
    try {
      heads = judgeHeads(readHeads(file))
      judgePages(heads, file)
      return
    } catch (error) {
      // Who writes meanwhile may be about to make the file, and may use the pages of an older head again.
      const isMoving =
        fstatSync(file).size !== size || (heads && judgeHeads(readHeads(file)).newest.transaction !== heads.newest.transaction)
      if (!isMoving || attempt === MOST_TRIES) throw error
    }
  }
}

/** @throws DamagedFile saying what is wrong, and what the file system says. */
export function judgeFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    judge(file)
  } finally {
    closeSync(file)
  }
}
