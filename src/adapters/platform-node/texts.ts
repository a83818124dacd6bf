/** Converts bytes to text and back with `Buffer`, whose native code is the fastest. */
import type { ByteTexts } from '../../core/base/byte-texts.ts'
import { bufferPool } from './buffer-pool.ts'

const buffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const SLAB = 65_536

const MAX_SLAB_SHARE_BYTES = 8_192

/** Short-lived arrays share this slab, so that they can be converted to text without allocating a Buffer. */
let slab = Buffer.allocUnsafeSlow(SLAB)
/** The memory of the slab. Reading the property `buffer` at each use would take as long as a short copy. */
let memory = slab.buffer
let used = 0

/** The newest array in the current slab, and its offset. Comparing an array with `newest` is faster than reading the array's `buffer`. */
let newest: Uint8Array | undefined
let newestAt = 0

/** Whether the newest array is not used any more, so that the next request for an array of its length can have it. */
let isNewestFree = false

function room(length: number): Uint8Array {
  if (length > MAX_SLAB_SHARE_BYTES) return bufferPool.take(length)
  const isFree = isNewestFree
  isNewestFree = false
  if (isFree && newest?.length === length) return newest
  newestAt = taken(length)
  newest = new Uint8Array(memory, newestAt, length)
  return newest
}

function release(bytes: Uint8Array): void {
  if (bytes === newest) isNewestFree = true
  else bufferPool.release(bytes)
}

/** Reserves bytes in the slab. Returns their offset. */
function taken(length: number): number {
  if (used + length > SLAB) {
    slab = Buffer.allocUnsafeSlow(SLAB)
    memory = slab.buffer
    used = 0
    newest = undefined
  }
  const at = used
  used += (length + 7) & -8
  return at
}

/** V8 stores arrays up to this length inside its heap. Accessing their buffer moves them out, which takes longer than a copy. */
const INSIDE = 64

/**
 * The maximum number of bytes whose text V8 allocates among its young objects, which takes a third of the time of allocating separate
 * pages. But the next garbage collection copies the text if it is still used. This number and the next are multiples of three, because
 * base64 encodes three bytes at a time.
 */
const YOUNG_PIECE = 90_000

/** The maximum number of bytes whose text V8 keeps in its heap. Text outside the heap is freed during a pause of the garbage collector. */
const LARGE_PIECE = 524_286

/**
 * Node stores the text of more bytes than this outside of V8's heap, which takes half the time of allocating many young pieces. But if
 * several calls did so at the same time, freeing their texts would be one long pause.
 */
const MAX_HEAP_TEXT_BYTES = 774_000

const scratch = Buffer.allocUnsafeSlow(INSIDE)

type TextEncoding = 'hex' | 'base64' | 'base64url'

/**
 * Arrays of up to `INSIDE` bytes are copied by a loop, which is faster than `set`. The copy is wiped, because the bytes may be a secret.
 */
function encoded(bytes: Uint8Array, encoding: TextEncoding): string {
  const { length } = bytes
  if (length > YOUNG_PIECE) return encodedInPieces(bytes, encoding)
  if (length > INSIDE) {
    if (bytes.buffer !== memory) return buffer(bytes).toString(encoding)
    return slab.toString(encoding, bytes.byteOffset, bytes.byteOffset + length)
  }
  for (let i = 0; i < length; i++) scratch[i] = bytes[i] as number
  const text = scratch.toString(encoding, 0, length)
  for (let i = 0; i < length; i++) scratch[i] = 0
  return text
}

function encodedInPieces(bytes: Uint8Array, encoding: TextEncoding): string {
  const whole = buffer(bytes)
  const isAlone = !bufferPool.hasSeveralUsers
  if (isAlone && bytes.length > MAX_HEAP_TEXT_BYTES) return whole.toString(encoding)
  const piece = isAlone ? YOUNG_PIECE : LARGE_PIECE
  let text = ''
  for (let at = 0; at < bytes.length; at += piece) text += whole.toString(encoding, at, Math.min(at + piece, bytes.length))
  return text
}

const base64Shared = (bytes: Uint8Array): string =>
  bytes === newest ? slab.toString('base64', newestAt, newestAt + bytes.length) : encoded(bytes, 'base64')

/** Allocates outside Node's pool, because the buffers of that pool share memory. */
function decoded(text: string, encoding: 'hex' | 'base64', room: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(room)
  const size = bytes.write(text, encoding)
  return new Uint8Array(bytes.buffer, 0, size)
}

function writeBase64(text: string, out: Uint8Array, at: number): number {
  if (out === newest) return slab.write(text, newestAt + at, out.length - at, 'base64')
  return buffer(out).write(text, at, out.length - at, 'base64')
}

/** The number of bytes that a base64 text of this length encodes. */
const sizeOf = (text: string): number => (symbolsOf(text) * 3) >> 2

/** The number of base64 characters without the padding. */
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
  writeBase64,
  buffer: room,
  release,
  byteLength: (text) => Buffer.byteLength(text),
  view: buffer,
  latin1: (view, from, to) => (view as Buffer).toString('latin1', from, to),
  utf8: (view, from, to) => (view as Buffer).toString('utf8', from, to),
}
