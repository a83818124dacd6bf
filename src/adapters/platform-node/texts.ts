/** Bytes to text and back by `Buffer`, whose native code is the fastest there is. */
import type { ByteTexts } from '../../core/base/byte-texts.ts'
import { rooms } from './rooms.ts'

const buffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const SLAB = 65_536

const MAX_SLAB_SHARE_BYTES = 8_192

/** What {@link ByteTexts.room} gives lies in here, so that its text is made without an object for it. */
let slab = Buffer.allocUnsafeSlow(SLAB)
let used = 0

/** The newest room of the present slab and its place, which are compared in less time than V8 takes to tell the buffer of an array. */
let newest: Uint8Array | undefined
let newestAt = 0

function room(length: number): Uint8Array {
  if (length > MAX_SLAB_SHARE_BYTES) return rooms.take(length)
  newestAt = taken(length)
  newest = new Uint8Array(slab.buffer, newestAt, length)
  return newest
}

/** Where the next bytes lie in the slab. */
function taken(length: number): number {
  if (used + length > SLAB) {
    slab = Buffer.allocUnsafeSlow(SLAB)
    used = 0
    newest = undefined
  }
  const at = used
  used += (length + 7) & -8
  return at
}

/** V8 keeps arrays up to this length among its objects. Asking for their buffer moves them out, which takes longer than a copy. */
const INSIDE = 64

/**
 * Bytes whose text V8 still puts beside other young objects, which takes a third of the time that pages of its own take. But what is still
 * there at the next collection is copied by it. Multiples of three, as the next one.
 */
const YOUNG_PIECE = 90_000

/** Bytes whose text V8 still keeps in its heap: what lies outside is freed while everything waits for the collector. */
const LARGE_PIECE = 524_286

const scratch = Buffer.allocUnsafeSlow(INSIDE)

type TextEncoding = 'hex' | 'base64' | 'base64url'

/** A loop, as calling `set` takes longer for so few. The copy is wiped, as the bytes may be a secret. */
function encoded(bytes: Uint8Array, encoding: TextEncoding): string {
  const { length } = bytes
  if (length > YOUNG_PIECE) return encodedInPieces(bytes, encoding)
  if (length > INSIDE) {
    if (bytes.buffer !== slab.buffer) return buffer(bytes).toString(encoding)
    return slab.toString(encoding, bytes.byteOffset, bytes.byteOffset + length)
  }
  for (let i = 0; i < length; i++) scratch[i] = bytes[i] as number
  const text = scratch.toString(encoding, 0, length)
  for (let i = 0; i < length; i++) scratch[i] = 0
  return text
}

function encodedInPieces(bytes: Uint8Array, encoding: TextEncoding): string {
  const whole = buffer(bytes)
  const piece = rooms.areMany ? LARGE_PIECE : YOUNG_PIECE
  let text = ''
  for (let at = 0; at < bytes.length; at += piece) text += whole.toString(encoding, at, Math.min(at + piece, bytes.length))
  return text
}

const base64Shared = (bytes: Uint8Array): string =>
  bytes === newest ? slab.toString('base64', newestAt, newestAt + bytes.length) : encoded(bytes, 'base64')

/** Pooled buffers share memory, so this one is not from the pool. */
function decoded(text: string, encoding: 'hex' | 'base64', room: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(room)
  const size = bytes.write(text, encoding)
  return new Uint8Array(bytes.buffer, 0, size)
}

function fromBase64Shared(text: string): Uint8Array {
  const length = sizeOf(text)
  if (length > MAX_SLAB_SHARE_BYTES) {
    const bytes = rooms.take(length)
    const size = buffer(bytes).write(text, 'base64')
    return size === length ? bytes : bytes.subarray(0, size)
  }
  const at = taken(length)
  return new Uint8Array(slab.buffer, at, slab.write(text, at, length, 'base64'))
}

/** The number of bytes that its length implies. */
const sizeOf = (text: string): number => (symbolsOf(text) * 3) >> 2

/** The number of characters without padding. */
function symbolsOf(text: string): number {
  if (!text.endsWith('=')) return text.length
  return text.length - (text.endsWith('==') ? 2 : 1)
}

export const texts: ByteTexts = {
  hex: (bytes) => encoded(bytes, 'hex'),
  fromHex: (text) => decoded(text, 'hex', text.length >> 1),
  base64: (bytes) => encoded(bytes, 'base64'),
  base64Shared,
  base64url: (bytes) => encoded(bytes, 'base64url'),
  fromBase64: (text) => decoded(text, 'base64', sizeOf(text)),
  fromBase64Shared,
  room,
  byteLength: (text) => Buffer.byteLength(text),
  view: buffer,
  latin1: (view, from, to) => (view as Buffer).toString('latin1', from, to),
  utf8: (view, from, to) => (view as Buffer).toString('utf8', from, to),
}
