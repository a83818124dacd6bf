/**
 * Bytes to text and back as a port, since every platform has a different fast way. `#platform/texts` is the platform's.
 */
import type { Rooms } from './rooms.ts'

export interface ByteTexts {
  /** Lower case. */
  hex(bytes: Uint8Array): string
  /** Takes an even number of hexadecimal digits. */
  fromHex(text: string): Uint8Array
  /** RFC 4648, with padding. */
  base64(bytes: Uint8Array): string
  /** The same of what is no secret: no copy of it is made and wiped where it lies in the {@link room} that was given last. */
  base64Shared(bytes: Uint8Array): string
  /** For URLs, without padding. */
  base64url(bytes: Uint8Array): string
  /**
   * The bytes of either alphabet, padded or not, in a buffer that is not shared. Invalid characters are skipped or end the decoding, so
   * that there are fewer bytes than the length of the text implies.
   */
  fromBase64(text: string): Uint8Array
  /** {@link fromBase64} into {@link room}. */
  fromBase64Shared(text: string): Uint8Array
  /**
   * Bytes to be written over whole and then made a text, or the place a text is read into. May share its buffer with others and hold what
   * was there before, so it is for what is no secret, such as a ciphertext. A long one may be given back ({@link Rooms}).
   */
  room(length: number): Uint8Array
  /** The length in UTF-8. */
  byteLength(text: string): number
  /** The same bytes, not copied, in the form that {@link latin1} and {@link utf8} take. */
  view(bytes: Uint8Array): Uint8Array
  /** The text of ASCII bytes in a view. */
  latin1(view: Uint8Array, from: number, to: number): string
  /** The text of bytes in a view that are known to be UTF-8. */
  utf8(view: Uint8Array, from: number, to: number): string
}
