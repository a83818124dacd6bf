/** Converts bytes to text and back with APIs that every platform has. */
import type { ByteTexts } from '../../core/base/byte-texts.ts'

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const decoder = new TextDecoder()

/** The six bits that a character encodes, by character code, for both base64 alphabets; 255 for other characters. */
const SIX = new Uint8Array(128).fill(255)
for (let i = 0; i < 64; i++) SIX[STANDARD.charCodeAt(i)] = i
SIX[0x2d] = 62
SIX[0x5f] = 63

/** The number of characters per call of `String.fromCharCode`, because the number of arguments of a call is limited. */
const CHUNK = 4096

function latin1(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let at = from; at < to; at += CHUNK) {
    const chunk = bytes.subarray(at, Math.min(at + CHUNK, to))
    // Do not spread the arguments: that uses an iterator and takes several times as long.
    text += Reflect.apply(String.fromCharCode, undefined, chunk)
  }
  return text
}

const base64 = (bytes: Uint8Array): string => btoa(latin1(bytes, 0, bytes.length))

function fromBase64(text: string): Uint8Array {
  const out = new Uint8Array((text.length * 3) >> 2)
  return out.subarray(0, writeBase64(text, out, 0))
}

function writeBase64(text: string, out: Uint8Array, at: number): number {
  const { length } = out
  let [size, bits, have] = [at, 0, 0]
  for (let i = 0; i < text.length && size < length; i++) {
    const six = SIX[text.charCodeAt(i)] ?? 255
    if (six > 63) continue
    bits = ((bits << 6) | six) & 0xffff
    have += 6
    if (have < 8) continue
    have -= 8
    out[size++] = bits >> have
  }
  return size - at
}

function byteLength(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0x80) length += unit < 0x800 ? 1 : 2
    // In UTF-8, a surrogate pair (two code units) has four bytes. A lone surrogate becomes U+FFFD, which has three bytes.
    if (isHigh(unit) && isLow(text.charCodeAt(i + 1))) i++
  }
  return length
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

export const texts: ByteTexts = {
  hex(bytes) {
    let text = ''
    for (const byte of bytes) text += HEX[byte]
    return text
  },
  fromHex(text) {
    const bytes = new Uint8Array(text.length >> 1)
    for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16)
    return bytes
  },
  base64,
  base64Shared: base64,
  base64url: (bytes) => base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  fromBase64,
  writeBase64,
  buffer: (length) => new Uint8Array(length),
  release() {},
  byteLength,
  view: (bytes) => bytes,
  latin1,
  utf8: (view, from, to) => decoder.decode(view.subarray(from, to)),
}
