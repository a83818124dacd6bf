/**
 * Conversions between bytes and strings, as a port, because each platform has a different fast way. `#platform/texts` is the implementation
 * for the platform.
 */
import type { BufferPool } from './buffer-pool.ts'

export interface ByteTexts {
  /** Lower case. */
  hex(bytes: Uint8Array): string
  /** Accepts an even number of hexadecimal digits. */
  fromHex(text: string): Uint8Array
  /** RFC 4648, with padding. */
  base64(bytes: Uint8Array): string
  /**
   * Like {@link base64}, for data that is not secret. If the bytes are those of the last {@link buffer}, no copy of them needs to be wiped.
   */
  base64Shared(bytes: Uint8Array): string
  /** For URLs, without padding. */
  base64url(bytes: Uint8Array): string
  /**
   * Decodes either alphabet, padded or not, into a buffer that is not shared. Invalid characters are skipped or end the decoding, so the
   * result then has fewer bytes than the length of the string implies.
   */
  fromBase64(text: string): Uint8Array
  /** Like {@link fromBase64}, into {@link buffer}. */
  fromBase64Shared(text: string): Uint8Array
  /**
   * Returns bytes to overwrite completely, which will be converted to a string or receive a decoded string. The buffer may be shared and
   * may contain earlier data, so use it only for data that is not secret, such as a ciphertext. A long one can be returned to the
   * {@link BufferPool}.
   */
  buffer(length: number): Uint8Array
  /** The number of bytes of the string in UTF-8. */
  byteLength(text: string): number
  /** The same memory in the form that {@link latin1} and {@link utf8} accept. */
  view(bytes: Uint8Array): Uint8Array
  /** The string for the ASCII bytes in a view. */
  latin1(view: Uint8Array, from: number, to: number): string
  /** The string for the bytes in a view, which must be valid UTF-8. */
  utf8(view: Uint8Array, from: number, to: number): string
}
