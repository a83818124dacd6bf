/**
 * AES-GCM that uses WebCrypto for long messages, and for all others the platform's synchronous cipher, if it has one, and noble. WebCrypto
 * runs in constant time and off the event loop. The results of all are equal. Source: W3C Web Cryptography API section 29.
 */
import { SLICE_BYTES, type Steps } from '../../base/steps.ts'
import type { AeadKey } from '../backend.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import { AesGcmKey } from '../noble/aes-gcm.ts'
import { GCM_NONCE_BYTES } from '../noble/gcm-message.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { ImportedKey, snapshot } from './imported-key.ts'
import { PlatformGcmKey } from './platform-gcm.ts'
import type { WebCryptoPlatform } from './subtle.ts'

const TAG = 16

export class AcceleratedGcmKey implements AeadKey {
  readonly nonceBytes = GCM_NONCE_BYTES
  readonly shortBytes: number
  /** The key for messages that do not use WebCrypto. */
  readonly #own: AeadKey
  readonly #platform: WebCryptoPlatform
  readonly #importedKey: ImportedKey
  #raw: Uint8Array | undefined
  #wasUsed = false

  /** @param key 16 or 32 bytes. The constructor copies them. @throws TypeError if the key has another length */
  constructor(key: Uint8Array, platform: WebCryptoPlatform, limit: ConcurrencyLimit) {
    const raw = Uint8Array.from(key)
    this.#own = platform.gcm ? new PlatformGcmKey(raw, platform.gcm, platform.shortGcmBytes) : new AesGcmKey(raw)
    this.shortBytes = platform.shortGcmBytes
    this.#platform = platform
    this.#raw = raw
    const importKey = () => platform.subtle.importKey('raw', this.#raw!, 'AES-GCM', false, ['encrypt', 'decrypt'])
    this.#importedKey = new ImportedKey(importKey, limit)
  }

  seal(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): void {
    this.#own.seal(nonce, plaintext, aad, out, at)
  }

  *sealSteps(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): Steps<void> {
    this.#checkUse(nonce)
    if (!this.#isForPlatform(plaintext.length + aad.length)) return yield* this.#own.sealSteps(nonce, plaintext, aad, out, at)
    const text = snapshot(plaintext)
    const algorithm = { name: 'AES-GCM', iv: snapshot(nonce), additionalData: snapshot(aad) } as const
    try {
      const sealed = yield* this.#importedKey.bytes((key) => this.#platform.subtle.encrypt(algorithm, key, text), text.length)
      // Yield before copying the result, because many long results may arrive in one turn of the event loop.
      if (plaintext.length > SLICE_BYTES) yield
      if (this.#raw === undefined) throw keyWipedError()
      if (sealed?.length === plaintext.length + TAG) out.set(sealed, at)
      else yield* this.#own.sealSteps(algorithm.iv, text, algorithm.additionalData, out, at)
    } finally {
      // If the input was copied, wipe the copy.
      if (text !== plaintext) text.fill(0)
    }
  }

  open(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array, from = 0): Uint8Array | undefined {
    return this.#own.open(nonce, sealed, aad, from)
  }

  /**
   * If WebCrypto fails for any reason, the message is decrypted again without it, because WebCrypto reports a wrong tag in the same way as an
   * internal failure.
   */
  *openSteps(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Steps<Uint8Array | undefined> {
    this.#checkUse(nonce)
    if (sealed.length < TAG || !this.#isForPlatform(sealed.length + aad.length))
      return yield* this.#own.openSteps(nonce, sealed, aad)
    const algorithm = { name: 'AES-GCM', iv: snapshot(nonce), additionalData: snapshot(aad) } as const
    const text = snapshot(sealed)
    const opened = yield* this.#importedKey.bytes((key) => this.#platform.subtle.decrypt(algorithm, key, text), text.length)
    return opened?.length === text.length - TAG
      ? opened
      : yield* this.#own.openSteps(algorithm.iv, text, algorithm.additionalData)
  }

  wipe(): void {
    this.#own.wipe()
    this.#importedKey.drop()
    this.#raw?.fill(0)
    this.#raw = undefined
  }

  /** @throws TypeError if the key is wiped or the nonce has the wrong length */
  #checkUse(nonce: Uint8Array): void {
    if (this.#raw === undefined) throw keyWipedError()
    if (nonce.length !== GCM_NONCE_BYTES) throw new TypeError('nonce: must have 12 bytes')
  }

  #isForPlatform(bytes: number): boolean {
    if (bytes <= this.#platform.webCryptoGcmBytes) return false
    const usedBefore = this.#wasUsed
    this.#wasUsed = true
    return usedBefore || bytes >= this.#platform.importingGcmBytes
  }
}
