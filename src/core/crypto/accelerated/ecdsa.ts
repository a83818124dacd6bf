/**
 * ECDSA that uses WebCrypto to sign and verify messages. WebCrypto runs in constant time and off the event loop. Source: W3C Web
 * Cryptography API section 23.
 *
 * WebCrypto always hashes its input and always uses its own random numbers. So noble is used instead if the input is a digest, if WebCrypto
 * lacks the hash function, or, for signatures, if the application supplies the entropy.
 */
import type { Entropy } from '../../base/entropy.ts'
import type { Steps } from '../../base/steps.ts'
import { ecPkcs8 } from '../asn1/ec-keys.ts'
import type { CurveName, HashName } from '../backend.ts'
import { NobleEcdsaSignKey, NobleEcdsaVerifyKey } from '../noble/ecdsa.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { ImportedKey, snapshot } from './imported-key.ts'
import type { Subtle } from './subtle.ts'

/** WebCrypto signs and verifies messages of more bytes than this, so -1 means every message: WebCrypto is faster for every length. */
const NONE_SHORT = -1

/** The hash functions of WebCrypto, with the lengths of their digests in bytes. */
const HASHES: Readonly<Partial<Record<HashName, { readonly name: string; readonly bytes: number }>>> = {
  sha1: { name: 'SHA-1', bytes: 20 },
  'sha2-256': { name: 'SHA-256', bytes: 32 },
  'sha2-384': { name: 'SHA-384', bytes: 48 },
  'sha2-512': { name: 'SHA-512', bytes: 64 },
}

export class AcceleratedSignKey extends NobleEcdsaSignKey {
  override readonly shortBytes: number = NONE_SHORT
  readonly #subtle: Subtle
  readonly #importedKey: ImportedKey
  /** The private key as PKCS#8. Undefined once the key has been imported. */
  #der: Uint8Array | undefined

  /**
   * @param scalar The private scalar, big-endian, as long as the order of the curve. The constructor copies it. @throws KernelError 400 if
   * the scalar is 0, or not less than the order
   */
  constructor(curve: CurveName, scalar: Uint8Array, subtle: Subtle, limit: ConcurrencyLimit) {
    super(curve, scalar)
    this.#subtle = subtle
    this.#der = ecPkcs8(curve, scalar, this.publicKey)
    this.#importedKey = new ImportedKey(async () => {
      try {
        return await subtle.importKey('pkcs8', this.#der!, { name: 'ECDSA', namedCurve: curve }, false, ['sign'])
      } finally {
        this.#forgetBytes()
      }
    }, limit)
  }

  override *signMessageSteps(message: Uint8Array, hash: HashName, entropy: Entropy): Steps<Uint8Array> {
    const known = HASHES[hash]
    if (!known || !entropy.system) return yield* super.signMessageSteps(message, hash, entropy)
    const text = snapshot(message)
    const algorithm = { name: 'ECDSA', hash: known.name } as const
    const signature = yield* this.#importedKey.bytes((key) => this.#subtle.sign(algorithm, key, text), text.length)
    return signature?.length === this.publicKey.length - 1 ? signature : yield* super.signMessageSteps(text, hash, entropy)
  }

  override wipe(): void {
    super.wipe()
    this.#importedKey.drop()
    this.#forgetBytes()
  }

  #forgetBytes(): void {
    this.#der?.fill(0)
    this.#der = undefined
  }
}

export class AcceleratedVerifyKey extends NobleEcdsaVerifyKey {
  override readonly shortBytes: number = NONE_SHORT
  readonly #subtle: Subtle
  /** Undefined if the public key is a compressed point, because implementations of WebCrypto need not support compressed points. */
  readonly #importedKey: ImportedKey | undefined
  readonly #signatureBytes: number

  /** @param publicKey An encoded point. The constructor copies it. @throws KernelError 400 if the point is not on the curve */
  constructor(curve: CurveName, publicKey: Uint8Array, subtle: Subtle, limit: ConcurrencyLimit) {
    super(curve, publicKey)
    this.#subtle = subtle
    this.#signatureBytes = publicKey.length - 1
    if (publicKey[0] !== 4) return
    const point = Uint8Array.from(publicKey)
    const importKey = () => subtle.importKey('raw', point, { name: 'ECDSA', namedCurve: curve }, false, ['verify'])
    this.#importedKey = new ImportedKey(importKey, limit)
  }

  override *verifyMessageSteps(signature: Uint8Array, message: Uint8Array, hash: HashName): Steps<boolean> {
    const known = HASHES[hash]
    const importedKey = this.#importedKey
    if (!known || !importedKey || signature.length !== this.#signatureBytes)
      return yield* super.verifyMessageSteps(signature, message, hash)
    const text = snapshot(message)
    const algorithm = { name: 'ECDSA', hash: known.name } as const
    const verdict = yield* importedKey.verdict((key) => this.#subtle.verify(algorithm, key, signature, text), text.length)
    // Deno's WebCrypto rejects valid signatures of digests that are shorter than half of the order.
    const isDecided = verdict || (verdict === false && 4 * known.bytes >= this.#signatureBytes)
    return isDecided ? verdict : yield* super.verifyMessageSteps(signature, text, hash)
  }
}
