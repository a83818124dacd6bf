/**
 * ECDSA verification over node:crypto. Source: FIPS 186-5 section 6.4.2.
 *
 * OpenSSL's interface in node hashes its input itself: ready-made digests go through the noble module.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { CurveName, EcdsaVerifyKey, HashName } from '../../core/crypto/backend.ts'
import { nobleCrypto } from '../../core/crypto/noble/index.ts'
import { OPENSSL_NAMES } from '../../core/crypto/openssl-names.ts'
import { ecSpkiDer } from '../../core/crypto/spki.ts'

export class NodeEcdsaVerifyKey implements EcdsaVerifyKey {
  /** Undefined for a compressed point, which only the noble module reads. */
  readonly #key: KeyObject | undefined
  /** Also validates that the bytes are a point. */
  readonly #noble: EcdsaVerifyKey
  /** The length of r || s: that of an uncompressed point's coordinates. */
  readonly #signatureBytes: number

  /** `publicKey`: an encoded point, read and not kept. @throws KernelError (400) when it is not on the curve. */
  constructor(curve: CurveName, publicKey: Uint8Array) {
    this.#noble = nobleCrypto().ecdsaVerify(curve, publicKey)
    this.#signatureBytes = publicKey.length - 1
    if (publicKey[0] !== 4) return
    this.#key = createPublicKey({ key: Buffer.from(ecSpkiDer(curve, publicKey)), format: 'der', type: 'spki' })
  }

  verifyDigest(signature: Uint8Array, digest: Uint8Array): boolean {
    return this.#noble.verifyDigest(signature, digest)
  }

  verifyMessage(signature: Uint8Array, message: Uint8Array, hash: HashName): boolean {
    if (!this.#key) return this.#noble.verifyMessage(signature, message, hash)
    if (signature.length !== this.#signatureBytes) return false
    return verify(OPENSSL_NAMES[hash], message, { key: this.#key, dsaEncoding: 'ieee-p1363' }, signature)
  }
}
