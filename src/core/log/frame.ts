/**
 * A record of the replication log: what one commit wrote, as it is stored. Values are the ciphertexts of the commit; a copy costs far
 * less than a second encryption. Keys are paths, so they are sealed, and with them the frame is authenticated.
 *
 * One record may take several entries of the log. Entry: uint16 number of entries, uint16 place among them, byte format (so that no entry
 * looks like a barrier record, which has another version there), then a piece of the frame. Frame: 16 bytes id, float64 time (ms), uint32
 * epoch, float64 index, 8 bytes origin of the epoch, uint32 length of the sealed list of ops, that list, the values one after the other. In
 * format 2 a second place follows the length: epoch, index and origin in the set for disaster recovery. The list (`op-list.ts`) is sealed as a
 * record of the barrier. Numbers are big-endian.
 */
import { toHex } from '../base/identifiers.ts'
import { texts } from '../base/texts.ts'
import { logKey } from '../storage/port.ts'
import { damaged, type LoggedOp, listOf } from './op-list.ts'
import type { Position } from './role.ts'

/** The log's name, in front of the index of an entry. */
export const LOG = 'i/replication/log'

export const logEntryKey = (index: number): string => logKey(LOG, index)

/** The epoch that a primary wrote in. Two that were promoted apart may have given theirs the same number. */
export interface OwnPlace {
  readonly epoch: number
  /** The beginning of the epoch's origin: 16 hexadecimal digits. */
  readonly origin: string
}

export type Place = Position | OwnPlace

/** As much of an origin as a frame holds. */
export const shortOrigin = (origin: string): string => origin.slice(0, 2 * ORIGIN_BYTES)

export interface Frame {
  readonly id: Uint8Array
  /** Milliseconds, on the clock of whoever committed. */
  readonly at: number
  /**
   * The place in the history of the set: of a record that was applied here the primary's position; of a primary's own its epoch, as its
   * index is known only when it is committed; none of a secondary's own.
   */
  readonly place: Place | undefined
  /** The same in the set for disaster recovery. */
  readonly dr?: Place | undefined
  readonly ops: readonly LoggedOp[]
}

/** With a place in the set for disaster recovery, and without. */
const FORMATS = { plain: 1, dr: 2 } as const

const ENTRY_HEAD = 5

const FRAME_HEAD = 48

const PLACE_BYTES = 20

const ORIGIN_BYTES = 8

/** Seals and opens lists of ops, each under a name of its own. */
export interface FrameSeal {
  seal(name: string, list: Uint8Array): Uint8Array
}

/**
 * The name that a record's list of ops is sealed under: its index is not known yet. No key begins so. Every block of it is time of every commit,
 * so it is short.
 */
const nameOf = (id: Uint8Array): string => `log/${texts.base64url(id)}`

/** The entries of one record. @param most The most bytes of one entry. */
export function framed({ id, at, place, dr, ops }: Frame, most: number, { seal }: FrameSeal): readonly Uint8Array[] {
  const list = seal(nameOf(id), listOf(ops))
  const head = ENTRY_HEAD + FRAME_HEAD + (dr ? PLACE_BYTES : 0)
  const format = dr ? FORMATS.dr : FORMATS.plain
  let length = head + list.length
  for (const op of ops) if (op.op === 'put') length += op.value.length
  const whole = new Uint8Array(length)
  const view = new DataView(whole.buffer)
  whole.set(id, ENTRY_HEAD)
  view.setFloat64(ENTRY_HEAD + 16, at)
  if (place) writePlace(view, ENTRY_HEAD + 24, place)
  view.setUint32(ENTRY_HEAD + 44, list.length)
  if (dr) writePlace(view, ENTRY_HEAD + FRAME_HEAD, dr)
  let offset = head
  whole.set(list, offset)
  offset += list.length
  for (const op of ops) {
    if (op.op !== 'put') continue
    whole.set(op.value, offset)
    offset += op.value.length
  }
  return length <= most ? [headed(whole, view, { format, count: 1, piece: 0 })] : divided(whole, most - ENTRY_HEAD, format)
}

/** Half an origin at a time: every commit passes here, and bytes of their own for eight digits take longer. */
function writePlace(view: DataView, offset: number, place: Place): void {
  view.setUint32(offset, place.epoch)
  if ('index' in place) view.setFloat64(offset + 4, place.index)
  else {
    view.setUint32(offset + 12, Number.parseInt(place.origin.slice(0, ORIGIN_BYTES), 16))
    view.setUint32(offset + 16, Number.parseInt(place.origin.slice(ORIGIN_BYTES), 16))
  }
}

interface EntryHead {
  readonly format: number
  readonly count: number
  readonly piece: number
}

function headed(entry: Uint8Array, view: DataView, { format, count, piece }: EntryHead): Uint8Array {
  view.setUint16(0, count)
  view.setUint16(2, piece)
  entry[4] = format
  return entry
}

/** The pieces of a record that one entry does not hold, each behind a head of its own. */
function divided(whole: Uint8Array, room: number, format: number): readonly Uint8Array[] {
  const count = Math.ceil((whole.length - ENTRY_HEAD) / room)
  return Array.from({ length: count }, (_, piece) => {
    const part = whole.subarray(ENTRY_HEAD + piece * room, ENTRY_HEAD + (piece + 1) * room)
    const entry = new Uint8Array(ENTRY_HEAD + part.length)
    entry.set(part, ENTRY_HEAD)
    return headed(entry, new DataView(entry.buffer), { format, count, piece })
  })
}

/** How many entries the record has that begins with this one, and which of them it is. */
export function entryHead(entry: Uint8Array): { readonly count: number; readonly place: number } {
  if (entry.length < ENTRY_HEAD || (entry[4] !== FORMATS.plain && entry[4] !== FORMATS.dr)) throw damaged()
  const view = new DataView(entry.buffer, entry.byteOffset)
  return { count: view.getUint16(0), place: view.getUint16(2) }
}

/** A record whose list of ops is still sealed. */
export interface SealedFrame extends Omit<Frame, 'ops'> {
  /** The name that the list is sealed under. */
  readonly name: string
  readonly list: Uint8Array
  readonly values: Uint8Array
}

/** @throws KernelError ERR_INTERNAL for entries that are no record. */
export function readFrame(entries: readonly Uint8Array[]): SealedFrame {
  const bytes = joined(entries)
  const hasDr = entries[0]?.[4] === FORMATS.dr
  const head = FRAME_HEAD + (hasDr ? PLACE_BYTES : 0)
  if (bytes.length < head) throw damaged()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const id = bytes.slice(0, 16)
  const values = head + view.getUint32(44)
  if (values > bytes.length) throw damaged()
  return {
    id,
    name: nameOf(id),
    at: view.getFloat64(16),
    place: placeAt(bytes, view, 24),
    ...(hasDr ? { dr: placeAt(bytes, view, FRAME_HEAD) } : {}),
    list: bytes.subarray(head, values),
    values: bytes.subarray(values),
  }
}

function placeAt(bytes: Uint8Array, view: DataView, offset: number): Place | undefined {
  const [epoch, index] = [view.getUint32(offset), view.getFloat64(offset + 4)]
  if (epoch === 0) return undefined
  return index === 0 ? { epoch, origin: toHex(bytes.subarray(offset + 12, offset + 12 + ORIGIN_BYTES)) } : { epoch, index }
}

function joined(entries: readonly Uint8Array[]): Uint8Array {
  const [first] = entries
  if (!first || entryHead(first).count !== entries.length) throw damaged()
  if (entries.length === 1) return first.subarray(ENTRY_HEAD)
  const out = new Uint8Array(entries.reduce((sum, entry) => sum + entry.length - ENTRY_HEAD, 0))
  let offset = 0
  for (const [place, entry] of entries.entries()) {
    if (entryHead(entry).place !== place) throw damaged()
    out.set(entry.subarray(ENTRY_HEAD), offset)
    offset += entry.length - ENTRY_HEAD
  }
  return out
}
