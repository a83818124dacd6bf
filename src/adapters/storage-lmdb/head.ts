/**
 * The head of a store, which each write transaction reads and replaces.
 *
 * It contains the revision, the number of transactions, the number of slots, and then the newest verdicts, one line each.
 */
import type { Commit, Revision } from '../../core/storage/port.ts'
import { readNumber, writeNumber } from './bytes.ts'
import type { Table } from './driver.ts'

export const HEAD_KEY = Buffer.from('head')

const NUMBERS_BYTES = 24

/** The maximum size of the head in bytes. LMDB would store a longer value outside the 4 KiB leaf page, in separate overflow pages. */
export const MAX_HEAD_BYTES = 1_900

export interface StoreHead {
  readonly revision: Revision
  /** The number of write transactions so far. While it is unchanged, the head is unchanged. */
  readonly transactions: number
  /** How many times the lines were moved from the head to a slot, which is a record in the table `meta`: see `ledger.ts`. */
  readonly slots: number
  /** The verdicts since the last move, one per line, the newest last. */
  readonly lines: string
}

/** A commit's id and its verdict. */
export type StoredVerdict = readonly [id: string, verdict: Commit]

export const NO_HEAD: StoreHead = Object.freeze({ revision: 0, transactions: 0, slots: 0, lines: '' })

/** Reads directly from LMDB's buffer, which is valid until the next read. */
export const readRevision = (table: Table): Revision => {
  const bytes = table.getBinaryFast(HEAD_KEY)
  return bytes ? readNumber(bytes) : 0
}

export function readHead(table: Table): StoreHead {
  const bytes = table.getBinaryFast(HEAD_KEY)
  if (!bytes) return NO_HEAD
  const lines = bytes.toString('utf8', NUMBERS_BYTES, bytes.length)
  return { revision: readNumber(bytes), transactions: readNumber(bytes, 8), slots: readNumber(bytes, 16), lines }
}

export function headBytes({ revision, transactions, slots, lines }: StoreHead): Buffer {
  const bytes = Buffer.allocUnsafe(NUMBERS_BYTES + Buffer.byteLength(lines))
  writeNumber(bytes, revision)
  writeNumber(bytes, transactions, 8)
  writeNumber(bytes, slots, 16)
  bytes.write(lines, NUMBERS_BYTES)
  return bytes
}

/** Every commit writes a verdict, and most verdicts consist of a revision only, so those are stored without JSON. */
export function formatVerdict([id, verdict]: StoredVerdict): string {
  const plain = verdict.ok && verdict.appended.length === 0 && !id.includes('\n')
  return plain ? `${verdict.revision} ${id}` : JSON.stringify([id, verdict])
}

export function parseVerdict(text: string): StoredVerdict {
  if (text.startsWith('[')) return JSON.parse(text) as StoredVerdict
  const space = text.indexOf(' ')
  return [text.slice(space + 1), { ok: true, revision: Number(text.slice(0, space)), appended: [] }]
}
