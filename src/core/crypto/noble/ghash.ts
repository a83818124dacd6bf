/**
 * GHASH with a table that outlives one message. Source: NIST SP 800-38D section 6.4.
 *
 * All arithmetic is noble's: its class keeps table and accumulator in protected members, and this subclass only starts the accumulator
 * again and feeds it words, which noble's own `update` / `digest` do not offer. It leans on names that noble does not promise: the
 * exact version is pinned in package.json, and the tests compare every result with noble's public `gcm` and with OpenSSL.
 */
import { GHASH } from '@noble/ciphers/_polyval.js'

/**
 * `expectedLength` values that make noble choose a window of 4 bits (setup 17 us, 28 KB) and of 8 bits (setup 70-200 us, 230 KB,
 * 1.5 times as fast).
 */
export const NARROW_TABLE = 5_000
export const WIDE_TABLE = 1_000_000

/** Four little-endian words at a time; the caller pads the last block with zeros. Reusable after `begin()`, dead after `destroy()`. */
export class TableGhash extends GHASH {
  begin(): void {
    this.s0 = 0
    this.s1 = 0
    this.s2 = 0
    this.s3 = 0
  }

  /** Takes in the blocks of `words` before `end`, a multiple of four. */
  absorb(words: Uint32Array, end: number): void {
    for (let i = 0; i < end; i += 4) this._updateBlock(words[i]!, words[i + 1]!, words[i + 2]!, words[i + 3]!)
  }

  block(a: number, b: number, c: number, d: number): void {
    this._updateBlock(a, b, c, d)
  }

  /** Writes the four words of the state to `out`, xored with `mask`. The state stays as it is. */
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
