/**
 * ChaCha20-Poly1305 and XChaCha20-Poly1305. Sources: RFC 8439 section 2.8, draft-irtf-cfrg-xchacha-03 section 2.
 *
 * Combines the stream cipher and the incremental Poly1305 of the noble library, like noble's own function, but piece by piece. Short and
 * long input use the same code. It is as fast as noble's function, because one run of the cipher computes both block 0 (the Poly1305 key)
 * and the first piece of the message. Both algorithms are constant time by design.
 */
import { Poly1305 } from '@noble/ciphers/_poly1305.js'
import { chacha20, xchacha20 } from '@noble/ciphers/chacha.js'
import { inPieces, runToEnd, SLICE_BYTES, type Steps } from '../../base/steps.ts'
import type { AeadKey } from '../backend.ts'
import { equalBytes } from '../equal.ts'
import { keyWipedError } from '../key-wiped-error.ts'

const KEY = 32

const TAG = 16

const BLOCK = 64

/**
 * The number of bytes that are processed between two yields, in about 1 ms. It is a multiple of the block size, so that each piece begins
 * with a whole block.
 */
const PIECE = 65_536

/** Messages of at most this many bytes are decrypted in one step. */
const SHORT = 4_096

const ZEROS = /* @__PURE__ */ new Uint8Array(KEY)

type StreamCipher = typeof chacha20

export class ChaChaKey implements AeadKey {
  readonly nonceBytes: 12 | 24
  readonly shortBytes = SLICE_BYTES
  readonly #stream: StreamCipher
  #key: Uint8Array | undefined

  /** @param nonceBytes 12 for chacha20, 24 for xchacha20. @param key 32 bytes, which are copied. @throws TypeError for another length */
  constructor(nonceBytes: 12 | 24, key: Uint8Array) {
    if (key.length !== KEY) throw new TypeError('a chacha20-poly1305 key must have 32 bytes')
    this.nonceBytes = nonceBytes
    this.#stream = nonceBytes === 12 ? chacha20 : xchacha20
    this.#key = Uint8Array.from(key)
  }

  seal(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): void {
    runToEnd(this.sealSteps(nonce, plaintext, aad, out, at))
  }

  *sealSteps(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): Steps<void> {
    this.#check(nonce)
    const iv = nonce.slice()
    const n = plaintext.length
    // Space for block 0 and one piece. A separate buffer is needed because the cipher is fast only for aligned buffers, and `out` may not
    // be aligned.
    const first = Math.min(n, PIECE)
    const work = new Uint8Array(BLOCK + first)
    work.set(n === first ? plaintext : plaintext.subarray(0, first), BLOCK)
    this.#xor(iv, work, 0)
    const mac = new Poly1305(work.subarray(0, KEY))
    work.fill(0, 0, BLOCK)
    if (aad.length > 0) yield* this.#absorb(mac, aad)
    const text = work.subarray(BLOCK)
    mac.update(text)
    out.set(text, at)
    for (let from = PIECE; from < n; from += PIECE) {
      yield
      const piece = plaintext.subarray(from, from + PIECE)
      const sealed = text.subarray(0, piece.length)
      sealed.set(piece)
      this.#xor(iv, sealed, 1 + from / BLOCK)
      mac.update(sealed)
      out.set(sealed, at + from)
    }
    out.set(tagOf(mac, aad.length, n), at + n)
  }

  open(nonce: Uint8Array, given: Uint8Array, aad: Uint8Array, begin = 0): Uint8Array | undefined {
    const sealed = begin === 0 ? given : given.subarray(begin)
    const n = sealed.length - TAG
    if (n < 0 || n > SHORT) return runToEnd(this.openSteps(nonce, sealed, aad))
    this.#check(nonce)
    // Compute the key stream of block 0 and of the message in one run, because each run has a fixed cost as high as that of a short
    // message.
    const stream = new Uint8Array(BLOCK + n)
    this.#xor(nonce.slice(), stream, 0)
    const mac = new Poly1305(stream.subarray(0, KEY))
    if (aad.length > 0) mac.update(aad).update(padding(aad.length))
    mac.update(sealed.subarray(0, n))
    const authentic = equalBytes(tagOf(mac, aad.length, n), sealed.subarray(n))
    const text = authentic ? new Uint8Array(sealed.subarray(0, n)) : undefined
    if (text) addStream(text, stream)
    stream.fill(0)
    return text
  }

  *openSteps(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Steps<Uint8Array | undefined> {
    this.#check(nonce)
    const n = sealed.length - TAG
    if (n < 0) return undefined
    const iv = nonce.slice()
    const tag = sealed.slice(n)
    // Copy `sealed`, because the caller may change it during a yield, and the verified bytes must be the decrypted bytes.
    const text = new Uint8Array(n)
    const macKey = new Uint8Array(KEY)
    this.#xor(iv, macKey, 0)
    const mac = new Poly1305(macKey)
    macKey.fill(0)
    if (aad.length > 0) yield* this.#absorb(mac, aad)
    for (let from = 0; from < n; from += PIECE) {
      if (from > 0) yield
      const piece = text.subarray(from, from + PIECE)
      piece.set(sealed.subarray(from, from + piece.length))
      mac.update(piece)
    }
    if (!equalBytes(tagOf(mac, aad.length, n), tag)) return undefined
    for (let from = 0; from < n; from += PIECE) {
      if (from > 0) yield
      this.#xor(iv, text.subarray(from, from + PIECE), 1 + from / BLOCK)
    }
    return text
  }

  wipe(): void {
    this.#key?.fill(0)
    this.#key = undefined
  }

  /** Adds the data and its padding to the MAC. */
  *#absorb(mac: Poly1305, data: Uint8Array): Steps<void> {
    yield* inPieces(data.length, PIECE, (from, to) => {
      if (this.#key === undefined) throw keyWipedError()
      mac.update(data.subarray(from, to))
    })
    mac.update(padding(data.length))
  }

  #check(nonce: Uint8Array): void {
    if (this.#key === undefined) throw keyWipedError()
    if (nonce.length !== this.nonceBytes) throw new TypeError(`nonce: must have ${this.nonceBytes} bytes`)
  }

  /**
   * Encrypts `data` in place: xors it with the key stream, beginning with the given block. Throws if the key was wiped. Every yield is
   * followed by a call of this method, so a key that was wiped during a yield is detected.
   */
  #xor(nonce: Uint8Array, data: Uint8Array, block: number): void {
    if (this.#key === undefined) throw keyWipedError()
    this.#stream(this.#key, nonce, data, data, block)
  }
}

/**
 * Xors the data with the key stream after block 0, first word by word, then the remaining bytes. Both arrays must begin at offset 0 of
 * their buffers.
 */
function addStream(text: Uint8Array, stream: Uint8Array): void {
  const words = text.length >>> 2
  const to = new Uint32Array(text.buffer, 0, words)
  const from = new Uint32Array(stream.buffer, BLOCK, words)
  for (let i = 0; i < words; i++) to[i]! ^= from[i]!
  for (let i = words * 4; i < text.length; i++) text[i]! ^= stream[BLOCK + i]!
}

const padding = (length: number): Uint8Array => ZEROS.subarray(0, -length & 15)

/** Adds the padding of the ciphertext and both lengths (little-endian, in bytes), and finishes the MAC. */
function tagOf(mac: Poly1305, aadLength: number, textLength: number): Uint8Array {
  const lengths = new Uint8Array(16)
  const view = new DataView(lengths.buffer)
  view.setUint32(0, aadLength, true)
  view.setUint32(4, aadLength / 0x1_0000_0000, true)
  view.setUint32(8, textLength, true)
  view.setUint32(12, textLength / 0x1_0000_0000, true)
  if (textLength % 16 > 0) mac.update(padding(textLength))
  return mac.update(lengths).digest()
}
