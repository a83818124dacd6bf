/**
 * GHASH with a table that is used for many messages. Source: NIST SP 800-38D section 6.4. The tables are those of V. Shoup, "On Fast and
 * Provably Secure Message Authentication Based on Universal Hashing", section 5.1.
 *
 * For each key, noble's class computes 28 KB of tables in 8 us, or 230 KB for long messages. A program with thousands of keys would spend
 * most of its time on fetching them into the processor's cache. The tables here are smaller, take less time, and hash faster.
 */
import { byteSwap } from '@noble/ciphers/utils.js'

/** The sum x^7 + x^2 + x + 1, to which x^128 is equal. The leftmost bit is the coefficient of 1. */
const POLYNOMIAL = 0xe1000000

const WORDS_PER_BLOCK = 4

/** The index at which the products of left half-bytes begin. */
const LEFT = 16 * WORDS_PER_BLOCK

/** For each byte that a multiplication by x^8 shifts out on the right: the word to add on the left. */
const REDUCTIONS = /* @__PURE__ */ Int32Array.from({ length: 256 }, (_, byte) => {
  let left = 0
  for (let bit = 0; bit < 8; bit++) left = (left >>> 1) ^ ((byte >>> bit) & 1 ? POLYNOMIAL : 0)
  return left
})

/**
 * Processes blocks of four little-endian words. The caller must pad the last block with zeros. `begin()` starts a new message; after
 * `wipe()`, the object must not be used.
 *
 * The state is multiplied by the subkey byte by byte, beginning with the last byte. The products are looked up by half-bytes, in a table
 * of 512 bytes that takes 1 us to compute.
 */
export class Ghash {
  /** The words of the state, as big-endian numbers. */
  protected s0 = 0
  protected s1 = 0
  protected s2 = 0
  protected s3 = 0
  protected readonly products: Int32Array

  /** @param subkey 16 bytes, which are neither kept nor changed. */
  constructor(subkey: Uint8Array) {
    this.products = this.tableOf(subkey)
  }

  begin(): void {
    this.s0 = 0
    this.s1 = 0
    this.s2 = 0
    this.s3 = 0
  }

  /** Adds the blocks in `words` up to the index `end`, which is a multiple of four. */
  absorb(words: Uint32Array, end: number): void {
    for (let i = 0; i < end; i += WORDS_PER_BLOCK) this.block(words[i]!, words[i + 1]!, words[i + 2]!, words[i + 3]!)
  }

  block(a: number, b: number, c: number, d: number): void {
    this.multiply(byteSwap(a) ^ this.s0, byteSwap(b) ^ this.s1, byteSwap(c) ^ this.s2, byteSwap(d) ^ this.s3)
  }

  /** Sets the state to the product of `x` and the subkey. */
  protected multiply(x0: number, x1: number, x2: number, x3: number): void {
    const products = this.products
    let x = x3
    let z0 = 0
    let z1 = 0
    let z2 = 0
    let z3 = 0
    for (let word = 3; ; word--) {
      for (let shift = 0; shift < 32; shift += 8) {
        const right = ((x >>> shift) & 15) << 2
        const left = LEFT + (((x >>> (shift + 4)) & 15) << 2)
        const reduction = REDUCTIONS[z3 & 255]!
        z3 = ((z3 >>> 8) | (z2 << 24)) ^ products[right + 3]! ^ products[left + 3]!
        z2 = ((z2 >>> 8) | (z1 << 24)) ^ products[right + 2]! ^ products[left + 2]!
        z1 = ((z1 >>> 8) | (z0 << 24)) ^ products[right + 1]! ^ products[left + 1]!
        z0 = (z0 >>> 8) ^ reduction ^ products[right]! ^ products[left]!
      }
      if (word === 0) break
      x = word === 3 ? x2 : word === 2 ? x1 : x0
    }
    this.s0 = z0
    this.s1 = z1
    this.s2 = z2
    this.s3 = z3
  }

  /** Writes the state xored with `mask` to `out`. Does not change the state. */
  masked(mask: { s0: number; s1: number; s2: number; s3: number }, out: Uint32Array): void {
    out[0] = byteSwap(this.s0) ^ mask.s0
    out[1] = byteSwap(this.s1) ^ mask.s1
    out[2] = byteSwap(this.s2) ^ mask.s2
    out[3] = byteSwap(this.s3) ^ mask.s3
  }

  wipe(): void {
    this.begin()
    this.products.fill(0)
  }

  /** Returns the products of the subkey and every right half-byte, followed by those of every left half-byte. */
  protected tableOf(subkey: Uint8Array): Int32Array {
    const products = new Int32Array(2 * LEFT)
    storePowers(subkey, products, (byte) => (byte < 16 ? byte : 16 + (byte >> 4)))
    addSums(products.subarray(0, LEFT))
    addSums(products.subarray(LEFT))
    return products
  }
}

/** The products are looked up by bytes, in a table of 4 KB that takes 6 us to compute. Faster for messages of some kilobytes. */
export class LongGhash extends Ghash {
  protected override multiply(x0: number, x1: number, x2: number, x3: number): void {
    const products = this.products
    let x = x3
    let z0 = 0
    let z1 = 0
    let z2 = 0
    let z3 = 0
    for (let word = 3; ; word--) {
      for (let shift = 0; shift < 32; shift += 8) {
        const at = ((x >>> shift) & 255) << 2
        const reduction = REDUCTIONS[z3 & 255]!
        z3 = ((z3 >>> 8) | (z2 << 24)) ^ products[at + 3]!
        z2 = ((z2 >>> 8) | (z1 << 24)) ^ products[at + 2]!
        z1 = ((z1 >>> 8) | (z0 << 24)) ^ products[at + 1]!
        z0 = (z0 >>> 8) ^ reduction ^ products[at]!
      }
      if (word === 0) break
      x = word === 3 ? x2 : word === 2 ? x1 : x0
    }
    this.s0 = z0
    this.s1 = z1
    this.s2 = z2
    this.s3 = z3
  }

  protected override tableOf(subkey: Uint8Array): Int32Array {
    const products = new Int32Array(256 * WORDS_PER_BLOCK)
    storePowers(subkey, products, (byte) => byte)
    addSums(products)
    return products
  }
}

/** Stores the products of the subkey and the eight bytes that are powers of x. @param rowOf The row of the table for such a byte. */
function storePowers(subkey: Uint8Array, products: Int32Array, rowOf: (byte: number) => number): void {
  const view = new DataView(subkey.buffer, subkey.byteOffset)
  let [p0, p1, p2, p3] = [view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12)]
  for (let byte = 0x80; byte > 0; byte >>= 1) {
    const at = rowOf(byte) * WORDS_PER_BLOCK
    products[at] = p0
    products[at + 1] = p1
    products[at + 2] = p2
    products[at + 3] = p3
    const reduction = p3 & 1 ? POLYNOMIAL : 0
    p3 = (p3 >>> 1) | (p2 << 31)
    p2 = (p2 >>> 1) | (p1 << 31)
    p1 = (p1 >>> 1) | (p0 << 31)
    p0 = (p0 >>> 1) ^ reduction
  }
}

/** Completes a table in which only the rows with the numbers 1, 2, 4, ... are set: every other row is the sum of two earlier rows. */
function addSums(products: Int32Array): void {
  for (let power = 2 * WORDS_PER_BLOCK; power < products.length; power *= 2)
    for (let i = WORDS_PER_BLOCK; i < power; i++) products[power + i] = products[power + (i % WORDS_PER_BLOCK)]! ^ products[i]!
}
