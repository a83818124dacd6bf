/** Strings as in Go, where a string is a sequence of bytes. Lengths, positions and slices count bytes. */
import { fromUtf8, toUtf8 } from '../base/bytes.ts'

/** A string in which each character represents a byte (U+0000 to U+00FF). */
export type ByteText = string

export function byteTextOf(text: string): ByteText {
  return bytesToText(toUtf8(text))
}

export function bytesToText(bytes: Uint8Array): ByteText {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

export function byteTextBytes(text: ByteText): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

/** Undefined if the bytes are not UTF-8. */
export function decodeByteText(text: ByteText): string | undefined {
  try {
    return fromUtf8(byteTextBytes(text))
  } catch {
    return undefined
  }
}

/** Splits a string into its characters, each as its bytes. A byte that does not belong to a valid character counts as a character. */
export function charactersOf(text: ByteText): readonly ByteText[] {
  const characters: ByteText[] = []
  for (let at = 0; at < text.length; ) {
    const size = characterSize(text, at) ?? 1
    characters.push(text.slice(at, at + size))
    at += size
  }
  return characters
}

/** Returns at most the first `most` bytes. A character whose bytes do not all fit is omitted. */
export function firstBytes(text: ByteText, most: number): ByteText {
  for (let start = Math.max(0, most - 3); start < most; start++) {
    const size = characterSize(text, start) ?? 1
    if (start + size > most) return text.slice(0, start)
    start += size - 1
  }
  return text.slice(0, most)
}

/** The size in bytes of the character at the given offset. Undefined if the bytes there are not a valid character (Unicode, table 3-7). */
function characterSize(text: ByteText, at: number): number | undefined {
  const lead = text.charCodeAt(at)
  if (lead < 0x80) return 1
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  if (lead < 0xc2 || lead > 0xf4 || at + size > text.length) return undefined
  const second = text.charCodeAt(at + 1)
  const [low, high] = SECOND[lead] ?? [0x80, 0xbf]
  if (second < low || second > high) return undefined
  for (let i = 2; i < size; i++) {
    const byte = text.charCodeAt(at + i)
    if (byte < 0x80 || byte > 0xbf) return undefined
  }
  return size
}

/** For some first bytes, the allowed range of the second byte. For all other first bytes, the range is 80 to BF. */
const SECOND: Readonly<Record<number, readonly [number, number]>> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
}
