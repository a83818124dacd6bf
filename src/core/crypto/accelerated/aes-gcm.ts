/**
 * AES-GCM whose long messages the platform takes: constant time, off the event loop, the same bytes. Source: W3C Web Cryptography API
 * section 29.
 */
import type { Steps } from '../../base/steps.ts'
import { AesGcmKey } from '../noble/aes-gcm.ts'
import { KeptKey } from './kept-key.ts'
import type { Gcm, Platform } from './subtle.ts'

const TAG = 16

export class AcceleratedGcmKey extends AesGcmKey {
  override readonly shortBytes: number
  readonly #platform: Platform
  readonly #kept: KeptKey
  #raw: Uint8Array | undefined
  #asked = false

  /** `key`: 16 or 32 bytes, copied. @throws TypeError for another length. */
  constructor(key: Uint8Array, platform: Platform) {
    super(key)
    this.shortBytes = platform.shortGcmBytes
    this.#platform = platform
    this.#raw = Uint8Array.from(key)
    this.#kept = new KeptKey(() => platform.subtle.importKey('raw', this.#raw!, 'AES-GCM', false, ['encrypt', 'decrypt']))
  }

  override *sealSteps(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): Steps<void> {
    this.checkUse(nonce)
    if (this.#isForPlatform(plaintext.length + aad.length)) {
      const algorithm = { name: 'AES-GCM', iv: this.#kept.asNow(nonce), additionalData: this.#kept.asNow(aad) } as const
      const text = this.#kept.asNow(plaintext)
      const sealed = yield* this.#sealed(algorithm, text, text !== plaintext)
      if (sealed?.length === plaintext.length + TAG) {
        out.set(sealed, at)
        return
      }
    }
    yield* super.sealSteps(nonce, plaintext, aad, out, at)
  }

  /** The platform's refusal may be a failure of its own, so the noble module has the last word. */
  override *openSteps(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Steps<Uint8Array | undefined> {
    this.checkUse(nonce)
    if (sealed.length >= TAG && this.#isForPlatform(sealed.length + aad.length)) {
      const algorithm = { name: 'AES-GCM', iv: this.#kept.asNow(nonce), additionalData: this.#kept.asNow(aad) } as const
      const text = this.#kept.asNow(sealed)
      const opened = yield* this.#kept.bytes((key) => this.#platform.subtle.decrypt(algorithm, key, text))
      if (opened?.length === sealed.length - TAG) return opened
    }
    return yield* super.openSteps(nonce, sealed, aad)
  }

  override wipe(): void {
    super.wipe()
    this.#kept.drop()
    this.#raw?.fill(0)
    this.#raw = undefined
  }

  /** @param own The text is a copy of ours, wiped behind its use. */
  *#sealed(algorithm: Gcm, text: Uint8Array, own: boolean): Steps<Uint8Array | undefined> {
    try {
      return yield* this.#kept.bytes((key) => this.#platform.subtle.encrypt(algorithm, key, text))
    } finally {
      if (own) text.fill(0)
    }
  }

  #isForPlatform(bytes: number): boolean {
    if (bytes <= this.shortBytes) return false
    const again = this.#asked
    this.#asked = true
    return again || bytes >= this.#platform.importingGcmBytes
  }
}
