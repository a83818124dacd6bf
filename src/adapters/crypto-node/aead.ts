/** AEAD ciphers over node:crypto. Sources: NIST SP 800-38D, RFC 8439, draft-irtf-cfrg-xchacha-03 section 2. */
import type { Steps } from '../../core/base/steps.ts'
import type { AeadKey, AeadName } from '../../core/crypto/backend.ts'
import { keyWipedError } from '../../core/crypto/key-wiped-error.ts'
import { xchachaSubkey } from '../../core/crypto/noble/hchacha.ts'
import { MAX_SHORT_BYTES, NodeAeadKey, nodeAesGcm } from './aead-key.ts'

/** @throws TypeError for a key of the wrong length */
export function nodeAead(algorithm: AeadName, key: Uint8Array): AeadKey {
  if (algorithm === 'aes-gcm') return nodeAesGcm(key)
  if (key.length !== 32) throw new TypeError('a chacha20-poly1305 key must have 32 bytes')
  return algorithm === 'chacha20-poly1305' ? new NodeAeadKey('chacha20-poly1305', key) : new NodeXChaChaKey(key)
}

/** XChaCha20: HChaCha20 derives the key of a message from the key and the first 16 bytes of the nonce. */
class NodeXChaChaKey implements AeadKey {
  readonly nonceBytes = 24
  readonly shortBytes = MAX_SHORT_BYTES
  #key: Uint8Array | undefined

  constructor(key: Uint8Array) {
    this.#key = Uint8Array.from(key)
  }

  seal(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): void {
    const derived = this.#messageKey(nonce)
    derived.seal(shortNonce(nonce), plaintext, aad, out, at)
    derived.wipe()
  }

  *sealSteps(nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array, out: Uint8Array, at: number): Steps<void> {
    yield* this.#stopIfWiped(this.#messageKey(nonce).sealSteps(shortNonce(nonce), plaintext, aad, out, at))
  }

  open(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array, from = 0): Uint8Array | undefined {
    const derived = this.#messageKey(nonce)
    const opened = derived.open(shortNonce(nonce), sealed, aad, from)
    derived.wipe()
    return opened
  }

  *openSteps(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Steps<Uint8Array | undefined> {
    return yield* this.#stopIfWiped(this.#messageKey(nonce).openSteps(shortNonce(nonce), sealed, aad))
  }

  wipe(): void {
    this.#key?.fill(0)
    this.#key = undefined
  }

  /**
   * Runs the steps, and throws if this key is wiped meanwhile. The steps themselves would continue, because they use a derived message key,
   * which is not wiped with this key.
   */
  *#stopIfWiped<T>(steps: Steps<T>): Steps<T> {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value
      yield step.value
      if (this.#key === undefined) throw keyWipedError()
    }
  }

  #messageKey(nonce: Uint8Array): NodeAeadKey {
    if (this.#key === undefined) throw keyWipedError()
    if (nonce.length !== this.nonceBytes) throw new TypeError('nonce: must have 24 bytes')
    const subkey = xchachaSubkey(this.#key, nonce)
    const key = new NodeAeadKey('chacha20-poly1305', subkey)
    subkey.fill(0)
    return key
  }
}

function shortNonce(nonce: Uint8Array): Uint8Array {
  const iv = new Uint8Array(12)
  iv.set(nonce.subarray(16), 4)
  return iv
}
