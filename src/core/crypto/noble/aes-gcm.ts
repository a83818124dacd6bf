/**
 * AES-GCM that keeps what is constant per key: the expanded key and the GHASH table. Source: NIST SP 800-38D section 7, 96-bit nonces.
 *
 * The stock noble call rebuilds both for every message (17-19 us for 32 bytes); kept, they leave about 3 us. Block cipher and GHASH are
 * noble's own building blocks, only the loop that joins them is ours. Table lookups depend on key and data: not constant time towards
 * somebody who watches this core's cache (nor is the stock call).
 */
import { unsafe } from '@noble/ciphers/aes.js'
import { isLE } from '@noble/ciphers/utils.js'
import { inPieces, SLICE_BYTES, type Steps } from '../../base/steps.ts'
import type { AeadKey } from '../backend.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import { BLOCK, GcmMessage, NONCE, storeTag, TAG, tagMatches } from './gcm-message.ts'
import { NARROW_TABLE, TableGhash, WIDE_TABLE } from './ghash.ts'

/** Bytes between two yields: 1-3 ms. */
const PIECE = 65_536

/** From here on the faster table repays its setup within the one message. */
const MIN_WIDE_TABLE_BYTES = 24_576

export class AesGcmKey implements AeadKey {
  readonly nonceBytes = NONCE
  readonly shortBytes: number = SLICE_BYTES
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
    const schedule = this.checkUse(nonce)
    const n = plaintext.length
    const ghash = this.#table(n + aad.length)
    const message = new GcmMessage(schedule, ghash, nonce)
    message.absorb(aad, 0, aad.length)
    message.encrypt(plaintext, 0, n, out, at)
    message.tag(aad.length, n)
    storeTag(out, at + n)
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
      storeTag(out, at + n)
    } finally {
      ghash.destroy()
    }
  }

  open(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array, from = 0): Uint8Array | undefined {
    const schedule = this.checkUse(nonce)
    const n = sealed.length - TAG - from
    if (n < 0) return undefined
    const ghash = this.#table(n + aad.length)
    const message = new GcmMessage(schedule, ghash, nonce)
    message.absorb(aad, 0, aad.length)
    message.absorb(sealed, from, from + n)
    message.tag(aad.length, n)
    this.#release(ghash)
    if (!tagMatches(sealed)) return undefined
    const plaintext = new Uint8Array(n)
    message.decrypt(sealed, from, 0, n, plaintext)
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
    yield* this.#pieces(n, (from, to) => message.decrypt(text, 0, from, to, text))
    return text
  }

  wipe(): void {
    this.#schedule?.fill(0)
    this.#schedule = undefined
    this.#subkey.fill(0)
    this.#ghash.destroy()
  }

  /** The key schedule. @throws TypeError when the key is wiped or the nonce has another length. */
  protected checkUse(nonce: Uint8Array): Uint32Array {
    if (this.#schedule === undefined) throw keyWipedError()
    if (nonce.length !== NONCE) throw new TypeError('an aes-gcm nonce has 12 bytes')
    return this.#schedule
  }

  #table(length: number): TableGhash {
    return length < MIN_WIDE_TABLE_BYTES ? this.#ghash : new TableGhash(this.#subkey, WIDE_TABLE)
  }

  #release(ghash: TableGhash): void {
    if (ghash !== this.#ghash) ghash.destroy()
  }

  /** A message that lives across yields has a table of its own: other calls use the key's meanwhile. */
  #begin(nonce: Uint8Array): [GcmMessage, TableGhash] {
    const schedule = this.checkUse(nonce)
    const ghash = new TableGhash(this.#subkey, WIDE_TABLE)
    return [new GcmMessage(schedule, ghash, nonce.slice()), ghash]
  }

  /** Takes pieces for as long as the key lives: one wiped during a yield must not go on under zeros. */
  #pieces(length: number, take: (from: number, to: number) => void): Steps<void> {
    return inPieces(length, PIECE, (from, to) => {
      if (this.#schedule === undefined) throw keyWipedError()
      take(from, to)
    })
  }
}
