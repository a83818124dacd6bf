/**
 * GHASH whose table is reused for many messages. Source: NIST SP 800-38D section 6.4.
 *
 * The arithmetic is noble's: its class keeps table and accumulator in protected members. This subclass resets the accumulator and accepts
 * words, which noble's `update` and `digest` do not offer. noble does not guarantee the member names, so package.json pins its exact
 * version, and tests compare every result with noble's public `gcm` and with OpenSSL.
 */
import { GHASH } from '@noble/ciphers/_polyval.js'

/**
 * Values of noble's `expectedLength` that select a window of 4 bits (setup 17 us, 28 KB) or of 8 bits (setup 70-200 us, 230 KB, 1.5 times
 * as fast).
 */
export const NARROW_TABLE = 5_000
export const WIDE_TABLE = 1_000_000

/**
 * Processes blocks of four little-endian words. The caller pads the last block with zeros. Reusable after `begin()`, unusable after
 * `destroy()`.
 */
export class TableGhash extends GHASH {
  begin(): void {
    this.s0 = 0
    this.s1 = 0
    this.s2 = 0
    this.s3 = 0
  }

  /** Adds the blocks in `words` before index `end`, a multiple of four. */
  absorb(words: Uint32Array, end: number): void {
    for (let i = 0; i < end; i += 4) this._updateBlock(words[i]!, words[i + 1]!, words[i + 2]!, words[i + 3]!)
  }

  block(a: number, b: number, c: number, d: number): void {
    this._updateBlock(a, b, c, d)
  }

  /** Writes the state xored with `mask` to `out`, and does not change the state. */
  masked(mask: { s0: number; s1: number; s2: number; s3: number }, out: Uint32Array): void {
    out[0] = this.s0 ^ mask.s0
    out[1] = this.s1 ^ mask.s1
    out[2] = this.s2 ^ mask.s2
    out[3] = this.s3 ^ mask.s3
  }

  override destroy(): void {
    this.begin()
    super.destroy()
  }
}
