/** Bytes to text and back by `Buffer`, whose native code is the fastest there is. */
import type { ByteTexts } from '../../core/base/byte-texts.ts'

const buffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Pooled buffers share memory, so this one is not from the pool. */
function decoded(text: string, encoding: 'hex' | 'base64', room: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(room)
  const size = bytes.write(text, encoding)
  return new Uint8Array(bytes.buffer, 0, size)
}

/** The number of characters without padding. */
function symbolsOf(text: string): number {
  if (!text.endsWith('=')) return text.length
  return text.length - (text.endsWith('==') ? 2 : 1)
}

export const texts: ByteTexts = {
  hex: (bytes) => buffer(bytes).toString('hex'),
  fromHex: (text) => decoded(text, 'hex', text.length >> 1),
  base64: (bytes) => buffer(bytes).toString('base64'),
  base64url: (bytes) => buffer(bytes).toString('base64url'),
  fromBase64: (text) => decoded(text, 'base64', (symbolsOf(text) * 3) >> 2),
  byteLength: (text) => Buffer.byteLength(text),
  view: buffer,
  latin1: (view, from, to) => (view as Buffer).toString('latin1', from, to),
  utf8: (view, from, to) => (view as Buffer).toString('utf8', from, to),
}
