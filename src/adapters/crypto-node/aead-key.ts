/**
 * Keys of AEAD ciphers over node:crypto. Sources: NIST SP 800-38D, RFC 8439.
 *
 * Two hazards of the interface: without `authTagLength` node accepts truncated GCM tags, and `update` returns plaintext before the tag is
 * checked. Plaintext that fails the check is therefore overwritten.
 */
import { type CipherGCM, createCipheriv, createDecipheriv, createSecretKey, type DecipherGCM, type KeyObject } from 'node:crypto'
import { copyBytes } from '../../core/base/bytes.ts'
import type { Steps } from '../../core/base/steps.ts'
import type { AeadKey } from '../../core/crypto/backend.ts'
import { keyWipedError } from '../../core/crypto/key-wiped-error.ts'
import { bytesOfBuffer } from './plain-bytes.ts'

const TAG = 16

/** The number of bytes that are processed between two yields, which takes 1 to 2 ms. */
const PIECE = 2_097_152

/** One call with at most this many bytes takes less than 1 ms. */
export const MAX_SHORT_BYTES = 1_048_576

const OPTIONS = { authTagLength: TAG } as const

/**
 * In the types of node:crypto, only some cipher names give an object with the methods for tags. At run time the objects for
 * chacha20-poly1305 have the same methods, so all names are cast to `aes-256-gcm`.
 */
type CipherName = 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305'

/** @throws TypeError if the key does not have 16 or 32 bytes */
export function nodeAesGcm(key: Uint8Array): AeadKey {
  if (key.length !== 16 && key.length !== 32) throw new TypeError('an aes-gcm key must have 16 or 32 bytes')
  return new NodeAeadKey(key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm', key)
}

export class NodeAeadKey implements AeadKey {
  readonly nonceBytes = 12
  readonly shortBytes: number
  readonly #cipher: CipherName
  #key: KeyObject | undefined

  constructor(cipher: CipherName, key: Uint8Array, shortBytes = MAX_SHORT_BYTES) {
    this.shortBytes = shortBytes
    this.#cipher = cipher
    this.#key = createSecretKey(key)
  }

  seal(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): void {
    const cipher = createCipheriv(this.#cipher as 'aes-256-gcm', this.#alive(nonce), copyInto(nonce, 0, iv), OPTIONS)
    if (aad.length > 0) cipher.setAAD(aad)
    copyBytes(cipher.update(plaintext), 0, out, at, plaintext.length)
    cipher.final()
    copyBytes(cipher.getAuthTag(), 0, out, at + plaintext.length, TAG)
  }

  *sealSteps(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): Steps<void> {
    const cipher = createCipheriv(this.#cipher as 'aes-256-gcm', this.#alive(nonce), nonce, OPTIONS)
    const n = plaintext.length
    if (aad.length > 0) yield* this.#addAad(cipher, aad)
    for (let from = 0; from < n; from += PIECE) {
      if (from > 0) yield
      this.#check()
      out.set(cipher.update(plaintext.subarray(from, from + PIECE)), at + from)
    }
    this.#check()
    cipher.final()
    out.set(cipher.getAuthTag(), at + n)
  }

  open(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array, from = 0): Uint8Array | undefined {
    const key = this.#alive(nonce)
    const end = sealed.length - TAG
    if (end < from) return undefined
    const decipher = createDecipheriv(this.#cipher as 'aes-256-gcm', key, copyInto(nonce, 0, iv), OPTIONS)
    decipher.setAuthTag(copyInto(sealed, end, tag))
    if (aad.length > 0) decipher.setAAD(aad)
    return authenticated(decipher, decipher.update(sealed.subarray(from, end)))
  }

  *openSteps(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Steps<Uint8Array | undefined> {
    const key = this.#alive(nonce)
    const n = sealed.length - TAG
    if (n < 0) return undefined
    const decipher = createDecipheriv(this.#cipher as 'aes-256-gcm', key, nonce, OPTIONS)
    decipher.setAuthTag(sealed.slice(n))
    if (aad.length > 0) yield* this.#addAad(decipher, aad)
    this.#check()
    if (n <= PIECE) return authenticated(decipher, decipher.update(sealed.subarray(0, n)))
    const text = new Uint8Array(n)
    let authentic = false
    try {
      for (let from = 0; from < n; from += PIECE) {
        if (from > 0) yield
        this.#check()
        const piece = decipher.update(sealed.subarray(from, Math.min(from + PIECE, n)))
        text.set(piece, from)
        piece.fill(0)
      }
      authentic = isAuthentic(decipher)
    } finally {
      if (!authentic) text.fill(0)
    }
    return authentic ? text : undefined
  }

  wipe(): void {
    this.#key = undefined
  }

  *#addAad(cipher: CipherGCM | DecipherGCM, aad: Uint8Array): Steps<void> {
    for (let from = 0; from < aad.length; from += PIECE) {
      if (from > 0) yield
      cipher.setAAD(aad.subarray(from, from + PIECE))
    }
  }

  #alive(nonce: Uint8Array): KeyObject {
    if (this.#key === undefined) throw keyWipedError()
    if (nonce.length !== this.nonceBytes) throw new TypeError('nonce: must have 12 bytes')
    return this.#key
  }

  #check(): void {
    if (this.#key === undefined) throw keyWipedError()
  }
}

/**
 * Buffers into which each call copies its nonce and tag. The caller's own arrays would be slower: V8 stores small arrays inside its heap,
 * and would have to move their bytes out of the heap before a native call. All calls can share these buffers, because OpenSSL copies their
 * content.
 */
const iv = Buffer.allocUnsafeSlow(12)
const tag = Buffer.allocUnsafeSlow(TAG)

function copyInto(from: Uint8Array, at: number, to: Buffer): Buffer {
  copyBytes(from, at, to, 0, to.length)
  return to
}

/** Returns the plaintext if the tag is valid. Overwrites it otherwise. */
function authenticated(decipher: DecipherGCM, text: Buffer): Uint8Array | undefined {
  if (isAuthentic(decipher)) return bytesOfBuffer(text)
  text.fill(0)
  return undefined
}

function isAuthentic(decipher: DecipherGCM): boolean {
  try {
    decipher.final()
    return true
  } catch {
    return false
  }
}
