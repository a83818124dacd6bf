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

/** The size limit of a value in a 4 KiB leaf; a longer value takes pages of its own. */
export const MAX_HEAD_BYTES = 1_900

export interface StoreHead {
  readonly revision: Revision
  /** The number of transactions of the store so far: another number means another head. */
  readonly transactions: number
  /** How often the lines were moved out of the head. */
  readonly slots: number
  /** The verdicts since then, the newest last. */
  readonly lines: string
}

/** A commit's id and its verdict. */
export type StoredVerdict = readonly [id: string, verdict: Commit]

export const NO_HEAD: StoreHead = Object.freeze({ revision: 0, transactions: 0, slots: 0, lines: '' })

/** LMDB's own buffer, valid until the next read. */
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

/** Most verdicts are only a revision, and every commit writes one, so they are stored without JSON. */
export function formatVerdict([id, verdict]: StoredVerdict): string {
  const plain = verdict.ok && verdict.appended.length === 0 && !id.includes('\n')
  return plain ? `${verdict.revision} ${id}` : JSON.stringify([id, verdict])
}

export function parseVerdict(text: string): StoredVerdict {
  if (text.startsWith('[')) return JSON.parse(text) as StoredVerdict
  const space = text.indexOf(' ')
  return [text.slice(space + 1), { ok: true, revision: Number(text.slice(0, space)), appended: [] }]
}
