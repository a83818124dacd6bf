/**
 * AES-GCM that keeps what is constant per key: the expanded key and the GHASH table. Source: NIST SP 800-38D section 7, 96-bit nonces.
 *
 * The stock noble call rebuilds both for every message (17-19 us for 32 bytes); kept, they leave about 3 us. Block cipher and GHASH are
 * noble's own building blocks, only the loop that joins them is ours. Table lookups depend on key and data: not constant time towards
 * somebody who watches this core's cache (nor is the stock call).
 */
import { unsafe } from '@noble/ciphers/aes.js'
import { byteSwap, isLE } from '@noble/ciphers/utils.js'
import { inPieces, SLICE_BYTES, type Steps } from '../../base/steps.ts'
import type { AeadKey } from '../backend.ts'
import { wiped } from '../wiped.ts'
import { NARROW_TABLE, TableGhash, WIDE_TABLE } from './ghash.ts'

const BLOCK = 16

const TAG = 16

const NONCE = 12

/** What the scratch holds; a multiple of the block. */
const CHUNK = 4_096

/** Bytes between two yields: 1-3 ms. */
const PIECE = 65_536

/** From here on the faster table repays its setup within the one message. */
const WIDE_FROM = 24_576

/** Where words and bytes meet. Shared by all keys: it is only in use within one synchronous chunk, and plaintext is wiped from it. */
const words = /* @__PURE__ */ new Uint32Array(CHUNK / 4)

const bytes = /* @__PURE__ */ new Uint8Array(words.buffer)

const tagWords = /* @__PURE__ */ new Uint32Array(TAG / 4)

const tagBytes = /* @__PURE__ */ new Uint8Array(tagWords.buffer)

/** One message under way: nonce words, tag mask, GHASH. Ranges are given in bytes and start on a chunk or piece border. */
class Message {
  readonly #schedule: Uint32Array
  readonly #ghash: TableGhash
  readonly #n0: number
  readonly #n1: number
  readonly #n2: number
  /** E(J0): hides the GHASH value in the tag. */
  readonly #mask: { s0: number; s1: number; s2: number; s3: number }

  constructor(schedule: Uint32Array, ghash: TableGhash, nonce: Uint8Array) {
    tagBytes.set(nonce)
    this.#schedule = schedule
    this.#ghash = ghash
    this.#n0 = tagWords[0]!
    this.#n1 = tagWords[1]!
    this.#n2 = tagWords[2]!
    this.#mask = unsafe.encrypt(schedule, this.#n0, this.#n1, this.#n2, byteSwap(1))
    ghash.begin()
  }

  /** GHASH of additional data or ciphertext, the last block padded with zeros. */
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

  decrypt(ciphertext: Uint8Array, from: number, to: number, out: Uint8Array): void {
    for (let at = from; at < to; at += CHUNK) {
      const n = load(ciphertext, at, to)
      this.#counterMode(at, n)
      store(n, out, at)
      bytes.fill(0, 0, pad(n))
    }
  }

  /** Leaves the tag in the tag scratch. Call once, after everything was taken in. */
  tag(aadLength: number, textLength: number): void {
    this.#ghash.block(highBits(aadLength), lowBits(aadLength), highBits(textLength), lowBits(textLength))
    this.#ghash.masked(this.#mask, tagWords)
  }

  /** Payload blocks count from 2: block 1 made the mask. */
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

/** Copies the next chunk of `data` before `to` into the scratch, the last block padded with zeros. Returns its length. */
function load(data: Uint8Array, at: number, to: number): number {
  const n = Math.min(CHUNK, to - at)
  bytes.set(n === data.length ? data : data.subarray(at, at + n))
  bytes.fill(0, n, pad(n))
  return n
}

function store(n: number, out: Uint8Array, at: number): void {
  out.set(bytes.subarray(0, n), at)
}

/** The two halves of a length in bits, big-endian. */
const highBits = (length: number): number => byteSwap(Math.floor(length / 0x2000_0000))

const lowBits = (length: number): number => byteSwap((length << 3) >>> 0)

/** Constant time: all four words are compared whatever the first ones said. */
function tagMatches(sealed: Uint8Array): boolean {
  const t0 = tagWords[0]!
  const t1 = tagWords[1]!
  const t2 = tagWords[2]!
  const t3 = tagWords[3]!
  tagBytes.set(sealed.subarray(sealed.length - TAG))
  return ((tagWords[0]! ^ t0) | (tagWords[1]! ^ t1) | (tagWords[2]! ^ t2) | (tagWords[3]! ^ t3)) === 0
}

export class AesGcmKey implements AeadKey {
  readonly nonceBytes = NONCE
  #schedule: Uint32Array | undefined
  readonly #subkey = new Uint8Array(BLOCK)
  readonly #ghash: TableGhash

  /** `key`: 16 or 32 bytes, read and not kept. @throws TypeError for another length. */
  constructor(key: Uint8Array) {
    if (key.length !== 16 && key.length !== 32) throw new TypeError('an aes-gcm key has 16 or 32 bytes')
    if (!isLE) throw new Error('aes-gcm: this backend needs a little-endian host')
    this.#schedule = unsafe.expandKeyLE(key)
    const { s0, s1, s2, s3 } = unsafe.encrypt(this.#schedule, 0, 0, 0, 0)
    new Uint32Array(this.#subkey.buffer).set([s0, s1, s2, s3])
    this.#ghash = new TableGhash(this.#subkey, NARROW_TABLE)
  }

  seal(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): void {
    const schedule = this.#alive(nonce)
    const n = plaintext.length
    const ghash = this.#table(n + aad.length)
    const message = new Message(schedule, ghash, nonce)
    message.absorb(aad, 0, aad.length)
    message.encrypt(plaintext, 0, n, out, at)
    message.tag(aad.length, n)
    out.set(tagBytes, at + n)
    this.#release(ghash)
  }

  *sealSteps(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): Steps<void> {
    const n = plaintext.length
    if (n + aad.length <= SLICE_BYTES) return this.seal(nonce, plaintext, aad, out, at)
    const [message, ghash] = this.#begin(nonce)
    try {
      yield* this.#pieces(aad.length, (from, to) => message.absorb(aad, from, to))
      yield* this.#pieces(n, (from, to) => message.encrypt(plaintext, from, to, out, at))
      message.tag(aad.length, n)
      out.set(tagBytes, at + n)
    } finally {
      ghash.destroy()
    }
  }

  open(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Uint8Array | undefined {
    const schedule = this.#alive(nonce)
    const n = sealed.length - TAG
    if (n < 0) return undefined
    const ghash = this.#table(n + aad.length)
    const message = new Message(schedule, ghash, nonce)
    message.absorb(aad, 0, aad.length)
    message.absorb(sealed, 0, n)
    message.tag(aad.length, n)
    this.#release(ghash)
    if (!tagMatches(sealed)) return undefined
    const plaintext = new Uint8Array(n)
    message.decrypt(sealed, 0, n, plaintext)
    return plaintext
  }

  *openSteps(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Steps<Uint8Array | undefined> {
    const n = sealed.length - TAG
    if (n + aad.length <= SLICE_BYTES) return this.open(nonce, sealed, aad)
    const [message, ghash] = this.#begin(nonce)
    // What is verified and what is decrypted must be the same bytes, whatever happens to `sealed` during a yield: both read this copy.
    const tag = sealed.slice(n)
    const text = new Uint8Array(n)
    try {
      yield* this.#pieces(aad.length, (from, to) => message.absorb(aad, from, to))
      yield* this.#pieces(n, (from, to) => {
        text.set(sealed.subarray(from, to), from)
        message.absorb(text, from, to)
      })
      message.tag(aad.length, n)
      if (!tagMatches(tag)) return undefined
    } finally {
      ghash.destroy()
    }
    yield* this.#pieces(n, (from, to) => message.decrypt(text, from, to, text))
    return text
  }

  wipe(): void {
    this.#schedule?.fill(0)
    this.#schedule = undefined
    this.#subkey.fill(0)
    this.#ghash.destroy()
  }

  #alive(nonce: Uint8Array): Uint32Array {
    if (this.#schedule === undefined) throw wiped()
    if (nonce.length !== NONCE) throw new TypeError('an aes-gcm nonce has 12 bytes')
    return this.#schedule
  }

  #table(length: number): TableGhash {
    return length < WIDE_FROM ? this.#ghash : new TableGhash(this.#subkey, WIDE_TABLE)
  }

  #release(ghash: TableGhash): void {
    if (ghash !== this.#ghash) ghash.destroy()
  }

  /** A message that lives across yields has a table of its own: other calls use the key's meanwhile. */
  #begin(nonce: Uint8Array): [Message, TableGhash] {
    const schedule = this.#alive(nonce)
    const ghash = new TableGhash(this.#subkey, WIDE_TABLE)
    return [new Message(schedule, ghash, nonce.slice()), ghash]
  }

  /** Takes pieces for as long as the key lives: one wiped during a yield must not go on under zeros. */
  #pieces(length: number, take: (from: number, to: number) => void): Steps<void> {
    return inPieces(length, PIECE, (from, to) => {
      if (this.#schedule === undefined) throw wiped()
      take(from, to)
    })
  }
}
