/**
 * A frame of the replication log: the writes of one commit, as stored. Values are the ciphertexts from the commit, because copying them
 * costs far less than encrypting them again. Storage keys contain paths, so the list of writes is encrypted, which also authenticates the
 * list.
 *
 * A frame that is too long for one log entry is split into several entries. All numbers are big-endian.
 *
 * Entry:
 * - uint16 the number of entries of the frame, uint16 the position of this entry among them
 * - one byte variant: 1 for a frame without a position in the DR set, 3 for a frame with one. At the offset of this byte, a barrier record
 *   has the byte 2, so an entry cannot be mistaken for a record.
 * - a piece of the frame
 *
 * Frame:
 * - 16 bytes id, float64 time in milliseconds
 * - the position in the performance set: uint32 epoch, float64 index, 8 bytes origin of the epoch
 * - uint32 length of the encrypted list of writes
 * - only in variant 3: the position in the DR set, in the same form
 * - the list of writes (`op-list.ts`), encrypted as a barrier record
 * - the values of all puts
 */
import { toHex } from '../base/identifiers.ts'
import { texts } from '../base/texts.ts'
import { logKey } from '../storage/port.ts'
import { damagedLogError, encodeOps, type LoggedOp } from './op-list.ts'
import type { Position } from './role.ts'

/** The name of the log. The storage key of an entry is this name followed by the index. */
export const LOG = 'i/replication/log'

export const logEntryKey = (index: number): string => logKey(LOG, index)

/**
 * The epoch in which a primary wrote. The origin is needed because clusters that were promoted independently may use the same epoch number.
 */
export interface EpochOrigin {
  readonly epoch: number
  /** The first 16 hexadecimal digits of the epoch's origin. */
  readonly origin: string
}

export type FramePosition = Position | EpochOrigin

/** The beginning of an epoch's origin, in hexadecimal. Frames contain only this part of it. */
export const shortOrigin = (origin: string): string => origin.slice(0, 2 * ORIGIN_BYTES)

export interface LogFrame {
  readonly id: Uint8Array
  /** The time of the commit in milliseconds of Unix time, by the clock of the process that committed. */
  readonly at: number
  /**
   * The position of the commit in the history of the performance set. If this frame was copied from the primary: the index at the primary.
   * If a primary created it: only the epoch, because the index is known only after the commit. Undefined if a secondary created it.
   */
  readonly position: FramePosition | undefined
  /** The position of the commit in the history of the DR set. */
  readonly dr?: FramePosition | undefined
  readonly ops: readonly LoggedOp[]
}

/** `plain` has no position in the DR set, `dr` has one. */
const VARIANTS = { plain: 1, dr: 3 } as const

const ENTRY_HEAD_BYTES = 5

const FRAME_HEAD_BYTES = 48

const POSITION_BYTES = 20

const ORIGIN_BYTES = 8

/** Encrypts a frame's list of writes, and binds the ciphertext to the given name. */
export interface FrameSeal {
  seal(name: string, list: Uint8Array): Uint8Array
}

/**
 * The name to which the ciphertext of a frame's list of writes is bound. The name contains the id of the frame, because the log index is
 * not known before the commit. No storage key begins with `log/`, so the ciphertext cannot be mistaken for the value of a record. The name
 * is short, because authenticating a longer name would take more time in every commit.
 */
const listName = (id: Uint8Array): string => `log/${texts.base64url(id)}`

/** Returns the log entries of a frame. @param maxEntryBytes The maximum size of an entry in bytes. */
export function encodeLogFrame(
  { id, at, position, dr, ops }: LogFrame,
  maxEntryBytes: number,
  { seal }: FrameSeal,
): readonly Uint8Array[] {
  const list = seal(listName(id), encodeOps(ops))
  const head = ENTRY_HEAD_BYTES + FRAME_HEAD_BYTES + (dr ? POSITION_BYTES : 0)
  const variant = dr ? VARIANTS.dr : VARIANTS.plain
  let length = head + list.length
  for (const op of ops) if (op.op === 'put') length += op.value.length
  const whole = new Uint8Array(length)
  const view = new DataView(whole.buffer)
  whole.set(id, ENTRY_HEAD_BYTES)
  view.setFloat64(ENTRY_HEAD_BYTES + 16, at)
  if (position) writePosition(view, ENTRY_HEAD_BYTES + 24, position)
  view.setUint32(ENTRY_HEAD_BYTES + 44, list.length)
  if (dr) writePosition(view, ENTRY_HEAD_BYTES + FRAME_HEAD_BYTES, dr)
  let offset = head
  whole.set(list, offset)
  offset += list.length
  for (const op of ops) {
    if (op.op !== 'put') continue
    whole.set(op.value, offset)
    offset += op.value.length
  }
  return length <= maxEntryBytes
    ? [writeEntryHead(whole, view, { variant, count: 1, piece: 0 })]
    : splitFrame(whole, maxEntryBytes - ENTRY_HEAD_BYTES, variant)
}

/** Writes the first 8 bytes of the origin as two integers, because allocating a byte array for them in every commit would be slower. */
function writePosition(view: DataView, offset: number, position: FramePosition): void {
  view.setUint32(offset, position.epoch)
  if ('index' in position) view.setFloat64(offset + 4, position.index)
  else {
    view.setUint32(offset + 12, Number.parseInt(position.origin.slice(0, ORIGIN_BYTES), 16))
    view.setUint32(offset + 16, Number.parseInt(position.origin.slice(ORIGIN_BYTES), 16))
  }
}

interface EntryHead {
  readonly variant: number
  readonly count: number
  readonly piece: number
}

function writeEntryHead(entry: Uint8Array, view: DataView, { variant, count, piece }: EntryHead): Uint8Array {
  view.setUint16(0, count)
  view.setUint16(2, piece)
  entry[4] = variant
  return entry
}

/** Splits a frame that does not fit into one entry. Each piece gets an entry header of its own. */
function splitFrame(whole: Uint8Array, maxPieceBytes: number, variant: number): readonly Uint8Array[] {
  const count = Math.ceil((whole.length - ENTRY_HEAD_BYTES) / maxPieceBytes)
  return Array.from({ length: count }, (_, piece) => {
    const part = whole.subarray(ENTRY_HEAD_BYTES + piece * maxPieceBytes, ENTRY_HEAD_BYTES + (piece + 1) * maxPieceBytes)
    const entry = new Uint8Array(ENTRY_HEAD_BYTES + part.length)
    entry.set(part, ENTRY_HEAD_BYTES)
    return writeEntryHead(entry, new DataView(entry.buffer), { variant, count, piece })
  })
}

/** Returns into how many entries the frame was split, and the position of this entry among them. */
export function readEntryHead(entry: Uint8Array): { readonly count: number; readonly piece: number } {
  if (entry.length < ENTRY_HEAD_BYTES || (entry[4] !== VARIANTS.plain && entry[4] !== VARIANTS.dr)) throw damagedLogError()
  const view = new DataView(entry.buffer, entry.byteOffset)
  return { count: view.getUint16(0), piece: view.getUint16(2) }
}

/** A frame whose list of writes is still encrypted. */
interface SealedFrame extends Omit<LogFrame, 'ops'> {
  /** The name to which the encryption binds the list. */
  readonly name: string
  readonly list: Uint8Array
  readonly values: Uint8Array
}

/** Joins the entries of one frame and parses the frame. @throws KernelError ERR_INTERNAL if an entry is missing or belongs to another frame. */
export function readFrame(entries: readonly Uint8Array[]): SealedFrame {
  const bytes = joinEntries(entries)
  const hasDr = entries[0]?.[4] === VARIANTS.dr
  const head = FRAME_HEAD_BYTES + (hasDr ? POSITION_BYTES : 0)
  if (bytes.length < head) throw damagedLogError()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const id = bytes.slice(0, 16)
  const values = head + view.getUint32(44)
  if (values > bytes.length) throw damagedLogError()
  return {
    id,
    name: listName(id),
    at: view.getFloat64(16),
    position: readPosition(bytes, view, 24),
    ...(hasDr ? { dr: readPosition(bytes, view, FRAME_HEAD_BYTES) } : {}),
    list: bytes.subarray(head, values),
    values: bytes.subarray(values),
  }
}

function readPosition(bytes: Uint8Array, view: DataView, offset: number): FramePosition | undefined {
  const [epoch, index] = [view.getUint32(offset), view.getFloat64(offset + 4)]
  if (epoch === 0) return undefined
  return index === 0 ? { epoch, origin: toHex(bytes.subarray(offset + 12, offset + 12 + ORIGIN_BYTES)) } : { epoch, index }
}

function joinEntries(entries: readonly Uint8Array[]): Uint8Array {
  const [first] = entries
  if (!first || readEntryHead(first).count !== entries.length) throw damagedLogError()
  if (entries.length === 1) return first.subarray(ENTRY_HEAD_BYTES)
  const out = new Uint8Array(entries.reduce((sum, entry) => sum + entry.length - ENTRY_HEAD_BYTES, 0))
  let offset = 0
  for (const [piece, entry] of entries.entries()) {
    if (readEntryHead(entry).piece !== piece) throw damagedLogError()
    out.set(entry.subarray(ENTRY_HEAD_BYTES), offset)
    offset += entry.length - ENTRY_HEAD_BYTES
  }
  return out
}
