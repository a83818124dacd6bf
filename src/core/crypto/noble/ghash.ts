/**
 * GHASH with a table that is used for many messages. Source: NIST SP 800-38D section 6.4.
 *
 * The arithmetic is implemented in a class of the noble library, which keeps the table and the accumulator in protected members. This
 * subclass resets the accumulator and processes words, which noble's `update` and `digest` cannot do. noble does not guarantee the names of
 * the members. Therefore package.json pins the exact version of noble, and tests compare every result with noble's public `gcm` and with
 * OpenSSL.
 */
import { GHASH } from '@noble/ciphers/_polyval.js'

/**
 * Values of noble's parameter `expectedLength`. They select a window of 4 bits (setup 17 us, 28 KB) or of 8 bits (setup 70-200 us, 230 KB,
 * 1.5 times as fast).
 */
export const NARROW_TABLE = 5_000
export const WIDE_TABLE = 1_000_000

/**
 * Processes blocks of four little-endian words. The caller must pad the last block with zeros. `begin()` starts a new message; after
 * `destroy()`, the object cannot be used.
 */
export class TableGhash extends GHASH {
  begin(): void {
    this.s0 = 0
    this.s1 = 0
    this.s2 = 0
    this.s3 = 0
  }

  /** Adds the blocks in `words` up to the index `end`, which is a multiple of four. */
  absorb(words: Uint32Array, end: number): void {
    for (let i = 0; i < end; i += 4) this._updateBlock(words[i]!, words[i + 1]!, words[i + 2]!, words[i + 3]!)
  }

  block(a: number, b: number, c: number, d: number): void {
    this._updateBlock(a, b, c, d)
  }

  /** Writes the state xored with `mask` to `out`. Does not change the state. */
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
