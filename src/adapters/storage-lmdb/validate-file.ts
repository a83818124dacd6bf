/**
 * Checks whether LMDB can safely map a data file.
 *
 * LMDB trusts both meta pages ("heads" below) and the length of the file. If the file is truncated or a head is wrong, LMDB reads outside
 * the file or a page, which ends the process. So this module first checks both heads, then the length, then the pages that the newest head
 * refers to.
 */
import { closeSync, fstatSync, openSync } from 'node:fs'
import { DamagedFile } from './damaged-file.ts'
import { readAt } from './files.ts'
import { META, META_BYTES, type MetaPage, readMetaPage, type Tree } from './layout.ts'
import { Pages } from './pages.ts'

const DATA_VERSION = 2
const MIN_PAGE_BYTES = 512
const MAX_PAGE_BYTES = 64 * 1024
const INTEGER_KEYS = 0x08
/** A flag in the head: LMDB must map the file at a fixed address. */
const FIXED_MAP = 0x01
/** The size of a process's address space on a 64-bit machine. */
const MAX_MAP_BYTES = 2 ** 47
/** The maximum depth of a tree in LMDB. */
const MAX_DEPTH = 32

/** The maximum number of attempts to read a file that other processes are changing. */
const MAX_TRIES = 100

const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value))

/** Describes what is wrong with the numbers of a tree; undefined if they are valid. */
function treeFault({ root, depth, pages }: Tree, lastPage: number): string | undefined {
  if ((root === undefined) !== (depth === 0)) return 'has a root without a depth, or a depth without a root'
  if (depth > MAX_DEPTH) return 'is deeper than LMDB supports'
  if (root !== undefined && (root < 2 || root > lastPage)) return 'begins outside of the used pages'
  return pages > lastPage - 1 ? 'has more pages than are used' : undefined
}

/** Describes what is wrong with a single head; undefined if it is valid. `number` is the number of its page. */
function headFault(head: MetaPage, number: number): string | undefined {
  const { free, main, lastPage, transaction } = head
  const pageBytes = free.pad
  if (!head.isLmdb) return 'was not written by LMDB'
  if (head.version !== DATA_VERSION) return `has data version ${head.version}; only version ${DATA_VERSION} is supported`
  if (head.page !== number || head.pageFlags !== META) return 'has a wrong page number or type'
  if (!isPowerOfTwo(pageBytes) || pageBytes < MIN_PAGE_BYTES || pageBytes > MAX_PAGE_BYTES)
    return `has the invalid page size ${pageBytes}`
  if (head.address !== 0 || (free.flags & FIXED_MAP) !== 0 || (free.flags & INTEGER_KEYS) === 0) return 'has invalid settings'
  if (main.flags !== 0 || main.pad !== 0) return 'has a main tree with invalid settings'
  if (lastPage < 1 || lastPage >= MAX_MAP_BYTES / pageBytes) return `has the invalid last page ${lastPage}`
  if (head.mapBytes < (lastPage + 1) * pageBytes || head.mapBytes > MAX_MAP_BYTES)
    return `has an invalid map size: ${head.mapBytes} bytes for ${lastPage + 1} pages`
  if (transaction > Number.MAX_SAFE_INTEGER) return 'has an invalid transaction number'
  for (const [name, tree] of [['free', free] as const, ['main', main] as const]) {
    const fault = treeFault(tree, lastPage)
    if (fault) return `has a ${name} tree that ${fault}`
  }
  return undefined
}

/** Reads both heads until two reads in a row are equal, because other processes may be writing. */
function readHeads(file: number): readonly [MetaPage, MetaPage] {
  let last = ''
  for (let attempt = 1; ; attempt++) {
    const first = readAt(file, META_BYTES, 0)
    if (!first) throw new DamagedFile('it is truncated in its first meta page')
    const head = readMetaPage(first)
    const fault = headFault(head, 0)
    // The position of the second head depends on the page size in the first head.
    const second = fault ? undefined : readAt(file, META_BYTES, head.free.pad)
    if (!fault && !second) throw new DamagedFile('it is truncated in its second meta page')
    const heads = [head, second && readMetaPage(second)] as const
    const seen = JSON.stringify(heads)
    if (seen === last || attempt === MAX_TRIES) {
      if (fault || !heads[1]) throw new DamagedFile(`its first meta page ${fault}`)
      return [head, heads[1]]
    }
    last = seen
  }
}

interface ValidatedHeads {
  readonly newest: MetaPage
  /**
   * Undefined if the older head is unused, as in a new file or a backup copy. In a backup copy, the newest head can have any transaction
   * number.
   */
  readonly older: MetaPage | undefined
}

function validateHeads(heads: readonly [MetaPage, MetaPage]): ValidatedHeads {
  const [first, second] = heads
  const fault = headFault(second, 1)
  if (fault) throw new DamagedFile(`its second meta page ${fault}`)
  if (first.free.pad !== second.free.pad || first.free.flags !== second.free.flags)
    throw new DamagedFile('its two meta pages differ in page size or flags, which never change')
  const [older, newest] = first.transaction < second.transaction ? [first, second] : [second, first]
  const isUnused = older.transaction === 0 && !older.main.root && !older.free.root && older.lastPage === 1
  const isInTurn = first.transaction % 2 === 0 && newest.transaction === older.transaction + 1
  if (!isUnused && (!isInTurn || newest.lastPage < older.lastPage))
    throw new DamagedFile('its two meta pages are not from consecutive transactions')
  return { newest, older: isUnused ? undefined : older }
}

function validatePages({ newest, older }: ValidatedHeads, file: number): void {
  const pageBytes = newest.free.pad
  // Read the length after the heads: LMDB writes pages before the head that refers to them.
  const count = Math.floor(fstatSync(file).size / pageBytes)
  const read = (page: number) => readAt(file, pageBytes, page * pageBytes)
  const pages = new Pages(newest, count, read)
  pages.judgeRoots(older !== undefined)
  // The older head need not be from a commit: after the first commit to a backup copy, it is the head that the backup wrote.
  if (older) new Pages(older, count, read).judgeRoots(false)
  if (pages.areShort) pages.walk()
}

/**
 * Checks an open file. An empty file is a new store.
 * @throws DamagedFile The message describes what is wrong.
 */
function validateOpenFile(file: number): void {
  for (let attempt = 1; ; attempt++) {
    const { size } = fstatSync(file)
    if (size === 0) return
    let heads: ValidatedHeads | undefined
    try {
      heads = validateHeads(readHeads(file))
      validatePages(heads, file)
      return
    } catch (error) {
      // Try again if a concurrent writer is creating the file, or has reused pages of the older head meanwhile.
      const isMoving =
        fstatSync(file).size !== size || (heads && validateHeads(readHeads(file)).newest.transaction !== heads.newest.transaction)
      if (!isMoving || attempt === MAX_TRIES) throw error
    }
  }
}

/** @throws DamagedFile The message describes what is wrong. Also throws errors of the file system. */
export function validateFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    validateOpenFile(file)
  } finally {
    closeSync(file)
  }
}
