/**
 * The state of one AES-GCM message: counter mode and GHASH, computed chunk by chunk. Source: NIST SP 800-38D section 7, with 96-bit nonces.
 */
import { unsafe } from '@noble/ciphers/aes.js'
import { byteSwap } from '@noble/ciphers/utils.js'
import { copyBytes } from '../../base/bytes.ts'
import type { Ghash } from './ghash.ts'

export const BLOCK = 16

export const GCM_TAG_BYTES = 16

export const GCM_NONCE_BYTES = 12

/** The size of the scratch buffer in bytes. It is a multiple of the block size. */
const CHUNK = 4_096

/**
 * A scratch buffer that converts between words and bytes. All keys share it, because it is used only within one synchronous chunk.
 * Plaintext is wiped from it.
 */
const words = /* @__PURE__ */ new Uint32Array(CHUNK / 4)

const bytes = /* @__PURE__ */ new Uint8Array(words.buffer)

const tagWords = /* @__PURE__ */ new Uint32Array(GCM_TAG_BYTES / 4)

/** A buffer for the tag of the last message. The constructor of a message also uses it to convert the nonce to words. */
const tagBytes = /* @__PURE__ */ new Uint8Array(tagWords.buffer)

/**
 * A message in progress: the words of the nonce, the mask of the tag, and the GHASH state. Ranges are in bytes and begin at a multiple of
 * the block size.
 */
export class GcmMessage {
  readonly #schedule: Uint32Array
  readonly #ghash: Ghash
  readonly #n0: number
  readonly #n1: number
  readonly #n2: number
  /** E(J0) in the standard: the GHASH value xored with this mask is the tag. */
  readonly #mask: { s0: number; s1: number; s2: number; s3: number }

  constructor(schedule: Uint32Array, ghash: Ghash, nonce: Uint8Array) {
    copyBytes(nonce, 0, tagBytes, 0, GCM_NONCE_BYTES)
    this.#schedule = schedule
    this.#ghash = ghash
    this.#n0 = tagWords[0]!
    this.#n1 = tagWords[1]!
    this.#n2 = tagWords[2]!
    this.#mask = unsafe.encrypt(schedule, this.#n0, this.#n1, this.#n2, byteSwap(1))
    ghash.begin()
  }

  /** Adds associated data or ciphertext to the GHASH. The last block is padded with zeros. */
  absorb(data: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at += CHUNK) {
      const n = load(data, at, to)
      this.#ghash.absorb(words, pad(n) >>> 2)
    }
  }

  encrypt(plaintext: Uint8Array, from: number, to: number, out: Uint8Array, outAt: number): void {
    for (let at = from; at < to; at += CHUNK) {
      const n = load(plaintext, at, to)
      this.#counterMode(at, n)
      const padded = pad(n)
      bytes.fill(0, n, padded)
      this.#ghash.absorb(words, padded >>> 2)
      store(n, out, outAt + at)
    }
  }

  /** @param base The offset of the ciphertext in `sealed`; `from` and `to` are relative to it. */
  decrypt(sealed: Uint8Array, base: number, from: number, to: number, out: Uint8Array): void {
    for (let at = from; at < to; at += CHUNK) {
      const n = load(sealed, base + at, base + to)
      this.#counterMode(at, n)
      store(n, out, at)
      bytes.fill(0, 0, pad(n))
    }
  }

  /** Computes the tag and writes it to the tag buffer. Must be called once, after all data was added. */
  tag(aadLength: number, textLength: number): void {
    this.#ghash.block(highBits(aadLength), lowBits(aadLength), highBits(textLength), lowBits(textLength))
    this.#ghash.masked(this.#mask, tagWords)
  }

  /** The message is encrypted with the counters from 2, because counter 1 was used for the mask. */
  #counterMode(at: number, n: number): void {
    const schedule = this.#schedule
    const n0 = this.#n0
    const n1 = this.#n1
    const n2 = this.#n2
    const end = pad(n) >>> 2
    let counter = at / BLOCK + 2
    for (let i = 0; i < end; i += 4) {
      const { s0, s1, s2, s3 } = unsafe.encrypt(schedule, n0, n1, n2, byteSwap(counter++))
      words[i]! ^= s0
      words[i + 1]! ^= s1
      words[i + 2]! ^= s2
      words[i + 3]! ^= s3
    }
  }
}

const pad = (n: number): number => (n + BLOCK - 1) & -BLOCK

/**
 * Copies the next chunk of `data`, which ends at `to` at the latest, to the scratch buffer, and pads the last block with zeros. Returns the
 * length of the chunk.
 */
function load(data: Uint8Array, at: number, to: number): number {
  const n = Math.min(CHUNK, to - at)
  copyBytes(data, at, bytes, 0, n)
  bytes.fill(0, n, pad(n))
  return n
}

function store(n: number, out: Uint8Array, at: number): void {
  copyBytes(bytes, 0, out, at, n)
}

/** The upper and the lower half of a length in bits, big-endian. */
const highBits = (length: number): number => byteSwap(Math.floor(length / 0x2000_0000))

const lowBits = (length: number): number => byteSwap((length << 3) >>> 0)

/** Copies the tag from the tag buffer to `out`. */
export function storeTag(out: Uint8Array, at: number): void {
  copyBytes(tagBytes, 0, out, at, GCM_TAG_BYTES)
}

/** Compares tags in constant time: always compares all four words. */
export function tagMatches(sealed: Uint8Array): boolean {
  const t0 = tagWords[0]!
  const t1 = tagWords[1]!
  const t2 = tagWords[2]!
  const t3 = tagWords[3]!
  copyBytes(sealed, sealed.length - GCM_TAG_BYTES, tagBytes, 0, GCM_TAG_BYTES)
  return ((tagWords[0]! ^ t0) | (tagWords[1]! ^ t1) | (tagWords[2]! ^ t2) | (tagWords[3]! ^ t3)) === 0
}
