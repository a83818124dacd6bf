/**
 * The layout of an LMDB data file and of the beginning of its lock file, on a 64-bit machine, in that machine's byte order.
 *
 * Source: `MDB_meta`, `MDB_db`, `MDB_page_header`, `MDB_node`, `MDB_ovpage` and `MDB_txbody` in `mdb.c` of the package `lmdb`, data
 * version 2.
 */
import { endianness } from 'node:os'

const LITTLE = endianness() === 'LE'

/** The length of the header of every page. Offsets inside a page are relative to the end of its header. */
export const PAGE_HEADER_BYTES = 24
export const META_BYTES = PAGE_HEADER_BYTES + 144

const MAGIC = 0xbeefc0de
const NODE_BYTES = 8
const TREE_BYTES = 48
const OVERFLOW_BYTES = 24

/** Flags of a page. */
export const BRANCH = 0x01
export const LEAF = 0x02
export const META = 0x08

/** Flags of an entry in a leaf. */
const IN_OVERFLOW = 0x01
const IS_TREE = 0x02

export interface Tree {
  readonly pad: number
  readonly flags: number
  readonly depth: number
  /** The number of branches, leaves and overflow pages together. */
  readonly pages: number
  /** Undefined if the tree is empty. */
  readonly root: number | undefined
}

/** One of the two pages at the beginning of the file; each commit overwrites the older one. */
export interface MetaPage {
  readonly page: number
  readonly pageFlags: number
  readonly isLmdb: boolean
  readonly version: number
  readonly address: number
  readonly mapBytes: number
  readonly free: Tree
  readonly main: Tree
  readonly lastPage: number
  readonly transaction: number
}

/** A page number or count. A value above 2^53 is rounded; it is too large for any file, so the caller refuses it anyway. */
const long = (view: DataView, at: number): number => Number(view.getBigUint64(at, LITTLE))

const NO_PAGE = 2n ** 64n - 1n

function readTree(view: DataView, at: number): Tree {
  const isEmpty = view.getBigUint64(at + 40, LITTLE) === NO_PAGE
  return {
    pad: view.getUint32(at, LITTLE),
    flags: view.getUint16(at + 4, LITTLE),
    depth: view.getUint16(at + 6, LITTLE),
    pages: long(view, at + 8) + long(view, at + 16) + long(view, at + 24),
    root: isEmpty ? undefined : long(view, at + 40),
  }
}

export function readMetaPage(view: DataView): MetaPage {
  return {
    page: long(view, 0),
    pageFlags: view.getUint16(18, LITTLE),
    isLmdb: view.getUint32(24, LITTLE) === MAGIC,
    version: view.getUint32(28, LITTLE),
    address: long(view, 32),
    mapBytes: long(view, 40),
    free: readTree(view, 48),
    main: readTree(view, 48 + TREE_BYTES),
    lastPage: long(view, 48 + 2 * TREE_BYTES),
    transaction: long(view, 56 + 2 * TREE_BYTES),
  }
}

/** The length of the beginning of a lock file that `isLockFile` needs. */
export const LOCK_BYTES = 4
/** The position of the number of the newest transaction in a lock file. */
export const LOCK_TRANSACTION_AT = 8

export const isLockFile = (view: DataView): boolean => view.getUint32(0, LITTLE) === MAGIC

export function transactionBytes(transaction: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(transaction), LITTLE)
  return bytes
}

/** An entry of a leaf. */
export interface LeafEntry {
  readonly keyBytes: number
  readonly bytes: number
  /** The tree that the value describes; undefined if the value does not describe a tree. */
  readonly tree: Tree | undefined
  /** The first and the last page of a value that is stored in overflow pages. */
  readonly run: readonly [number, number] | undefined
  /** For an entry of the free tree: the number of page numbers in its list. */
  readonly listed: number
}

export interface LmdbPage {
  readonly page: number
  readonly flags: number
  /** The transaction that wrote the page. */
  readonly transaction: number
  /** The page numbers of a branch's children. */
  readonly below: readonly number[]
  readonly entries: readonly LeafEntry[]
}

function readLeafEntry(view: DataView, at: number): LeafEntry {
  const flags = view.getUint16(at + 4, LITTLE)
  const keyBytes = view.getUint16(at + 6, LITTLE)
  const bytes = view.getUint32(at, LITTLE)
  const value = at + NODE_BYTES + keyBytes
  return {
    keyBytes,
    bytes,
    tree: flags === IS_TREE && bytes === TREE_BYTES ? readTree(view, value) : undefined,
    run: flags === IN_OVERFLOW ? [long(view, value), long(view, value) + long(view, value + OVERFLOW_BYTES - 8) - 1] : undefined,
    listed: flags === 0 && bytes >= 8 ? long(view, value) : 0,
  }
}

/** @throws RangeError if an entry is outside the page. */
export function readLmdbPage(view: DataView): LmdbPage {
  const flags = view.getUint16(18, LITTLE)
  const [lower, upper] = [view.getUint16(20, LITTLE), view.getUint16(22, LITTLE)]
  if (upper < lower || upper > view.byteLength - PAGE_HEADER_BYTES) throw new RangeError('its bounds are invalid')
  const below: number[] = []
  const entries: LeafEntry[] = []
  for (let entry = 0; entry < lower; entry += 2) {
    const at = PAGE_HEADER_BYTES + view.getUint16(PAGE_HEADER_BYTES + entry, LITTLE)
    if (flags === BRANCH) below.push(view.getUint32(at, LITTLE) + view.getUint16(at + 4, LITTLE) * 2 ** 32)
    else entries.push(readLeafEntry(view, at))
  }
  return { page: long(view, 0), flags, transaction: long(view, 8), below, entries }
}
