/**
 * Bytes to text and back as a port: every platform can, each in a way of its own that is worth taking. `#platform/texts` is the platform's.
 */
export interface ByteTexts {
  /** Lower case. */
  hex(bytes: Uint8Array): string
  /** Of an even number of hexadecimal digits. */
  fromHex(text: string): Uint8Array
  /** RFC 4648, with padding. */
  base64(bytes: Uint8Array): string
  /** For URLs, without padding. */
  base64url(bytes: Uint8Array): string
  /**
   * The bytes of either alphabet, padded or not; what belongs to neither is skipped or ends them, so that there are fewer bytes than the text
   * has room for. They share their buffer with nobody.
   */
  fromBase64(text: string): Uint8Array
  /** In UTF-8. */
  byteLength(text: string): number
  /** The same bytes, not copied, as {@link latin1} and {@link utf8} take them. */
  view(bytes: Uint8Array): Uint8Array
  /** Of ASCII bytes in a view. */
  latin1(view: Uint8Array, from: number, to: number): string
  /** Of bytes in a view that were found to be UTF-8. */
  utf8(view: Uint8Array, from: number, to: number): string
}
