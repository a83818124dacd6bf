/**
 * Conversions between bytes and text, as a port: each platform has a different fast way. `#platform/texts` is the platform's
 * implementation.
 */
import type { BufferPool } from './buffer-pool.ts'

export interface ByteTexts {
  /** Lower case. */
  hex(bytes: Uint8Array): string
  /** Takes an even number of hexadecimal digits. */
  fromHex(text: string): Uint8Array
  /** RFC 4648, with padding. */
  base64(bytes: Uint8Array): string
  /** {@link base64} for data that is not secret. Bytes in the last {@link buffer} are encoded without a wiped copy. */
  base64Shared(bytes: Uint8Array): string
  /** For URLs, without padding. */
  base64url(bytes: Uint8Array): string
  /**
   * The bytes of text in either alphabet, padded or not, in a buffer that is not shared. Invalid characters are skipped or end the
   * decoding, so the result then has fewer bytes than the text's length implies.
   */
  fromBase64(text: string): Uint8Array
  /** {@link fromBase64} into {@link buffer}. */
  fromBase64Shared(text: string): Uint8Array
  /**
   * Bytes to be overwritten completely, to convert to text or to decode text into. The buffer may be shared and may contain earlier data,
   * so use it only for data that is not secret, such as a ciphertext. A long one can be returned to the {@link BufferPool}.
   */
  buffer(length: number): Uint8Array
  /** The length of the text in UTF-8 bytes. */
  byteLength(text: string): number
  /** The same memory in the form that {@link latin1} and {@link utf8} accept. */
  view(bytes: Uint8Array): Uint8Array
  /** The text of the ASCII bytes in a view. */
  latin1(view: Uint8Array, from: number, to: number): string
  /** The text of bytes in a view, which must be valid UTF-8. */
  utf8(view: Uint8Array, from: number, to: number): string
}
