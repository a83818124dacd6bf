/**
 * Conversions between bytes and strings. This is an interface, because the fastest implementation depends on the platform.
 * `#platform/texts` exports the implementation of the current platform.
 */
export interface ByteTexts {
  /** Lower case. */
  hex(bytes: Uint8Array): string
  /** Accepts an even number of hexadecimal digits. */
  fromHex(text: string): Uint8Array
  /** Encodes bytes as base64 (RFC 4648) with padding. */
  base64(bytes: Uint8Array): string
  /**
   * Like {@link base64}, for data that is not secret. If the bytes are in the buffer that {@link buffer} last returned, the conversion
   * makes no copy that would have to be wiped.
   */
  base64Shared(bytes: Uint8Array): string
  /** Encodes bytes in the base64 alphabet for URLs, without padding. */
  base64url(bytes: Uint8Array): string
  /**
   * Decodes either base64 alphabet, with or without padding. The result has a buffer of its own. Invalid characters are skipped or end the
   * decoding; the result is then shorter than the length of the string implies.
   */
  fromBase64(text: string): Uint8Array
  /**
   * Decodes like {@link fromBase64} into `out`, beginning at the offset `at`. Returns the number of bytes that were written, which is at most
   * the room in `out`.
   */
  writeBase64(text: string, out: Uint8Array, at: number): number
  /**
   * Returns a buffer for bytes that will be converted to a string or are the result of decoding one. The caller must overwrite the whole
   * buffer. The buffer may be shared and may contain earlier data, so use it only for data that is not secret, such as a ciphertext.
   */
  buffer(length: number): Uint8Array
  /** Gives a buffer of {@link buffer} back after its last use. Other bytes are ignored. */
  release(bytes: Uint8Array): void
  /** The number of bytes of the string in UTF-8. */
  byteLength(text: string): number
  /** Returns the same memory in the form that {@link latin1} and {@link utf8} accept. */
  view(bytes: Uint8Array): Uint8Array
  /** The string for the given ASCII bytes of a view. */
  latin1(view: Uint8Array, from: number, to: number): string
  /** The string for the given bytes of a view, which must be valid UTF-8. */
  utf8(view: Uint8Array, from: number, to: number): string
}
