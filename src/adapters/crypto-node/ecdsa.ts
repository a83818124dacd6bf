/**
 * ECDSA over node:crypto. Source: FIPS 186-5 section 6.4.
 *
 * node:crypto always hashes its input and uses its own random numbers. Noble is therefore used to sign and verify digests, and to sign
 * messages if the application supplies the entropy.
 */
import { createPrivateKey, createPublicKey, createSign, createVerify, type KeyObject, sign, verify } from 'node:crypto'
import type { Entropy } from '../../core/base/entropy.ts'
import { inPieces, type Steps } from '../../core/base/steps.ts'
import { ecPkcs8 } from '../../core/crypto/asn1/ec-keys.ts'
import type { CurveName, EcdsaSignKey, EcdsaVerifyKey, HashName } from '../../core/crypto/backend.ts'
import { NIST_CURVES } from '../../core/crypto/curves/curve-code.ts'
import { keyWipedError } from '../../core/crypto/key-wiped-error.ts'
import { OPENSSL_NAMES } from '../../core/crypto/openssl-names.ts'
import { ecSpkiDer } from '../../core/crypto/spki.ts'
import { bytesOfBuffer } from './plain-bytes.ts'

/**
 * Messages of at most this many bytes are hashed in one step, which takes 0.5 to 3 ms. Longer messages are hashed in pieces of this size.
 */
const PIECE = 1_048_576

/**
 * A parsed key and the signature format `r || s`, as the options object that node:crypto takes. The object is kept, so that calls do not
 * allocate it again.
 */
interface ParsedKey {
  readonly key: KeyObject
  readonly dsaEncoding: 'ieee-p1363'
}

const parsedKey = (key: KeyObject): ParsedKey => ({ key, dsaEncoding: 'ieee-p1363' })

export class NodeEcdsaSignKey implements EcdsaSignKey {
  readonly shortBytes = PIECE
  readonly publicKey: Uint8Array
  readonly #curve: CurveName
  /** Creating this key also checks that the scalar is valid for the curve. */
  readonly #noble: EcdsaSignKey
  #scalar: Uint8Array | undefined
  /** Created by the first signature, because parsing takes as long as ten signatures. */
  #key: ParsedKey | undefined

  /**
   * @param scalar Big-endian, with the length of the curve's order; copied.
   * @throws KernelError 400 if the scalar is not between 1 and the order minus 1
   */
  constructor(curve: CurveName, scalar: Uint8Array) {
    this.#curve = curve
    this.#noble = NIST_CURVES.code.ecdsaSign(curve, scalar)
    this.publicKey = this.#noble.publicKey
    this.#scalar = Uint8Array.from(scalar)
  }

  signDigest(digest: Uint8Array, hedge: Uint8Array): Uint8Array {
    return this.#noble.signDigest(digest, hedge)
  }

  signMessage(message: Uint8Array, hash: HashName, entropy: Entropy): Uint8Array {
    if (!entropy.system) return this.#noble.signMessage(message, hash, entropy)
    return bytesOfBuffer(sign(OPENSSL_NAMES[hash], message, this.#parsedKey()))
  }

  *signMessageSteps(message: Uint8Array, hash: HashName, entropy: Entropy): Steps<Uint8Array> {
    if (!entropy.system) return yield* this.#noble.signMessageSteps(message, hash, entropy)
    const state = createSign(OPENSSL_NAMES[hash])
    yield* inPieces(message.length, PIECE, (from, to) => void state.update(message.subarray(from, to)))
    return bytesOfBuffer(state.sign(this.#parsedKey()))
  }

  agree(point: Uint8Array): Uint8Array | undefined {
    return this.#noble.agree(point)
  }

  wipe(): void {
    this.#noble.wipe()
    this.#scalar?.fill(0)
    this.#scalar = undefined
    this.#key = undefined
  }

  #parsedKey(): ParsedKey {
    if (this.#key) return this.#key
    if (this.#scalar === undefined) throw keyWipedError()
    const der = ecPkcs8(this.#curve, this.#scalar, this.publicKey)
    try {
      this.#key = parsedKey(
        createPrivateKey({ key: Buffer.from(der.buffer, der.byteOffset, der.length), format: 'der', type: 'pkcs8' }),
      )
      return this.#key
    } finally {
      der.fill(0)
    }
  }
}

export class NodeEcdsaVerifyKey implements EcdsaVerifyKey {
  readonly shortBytes = PIECE
  /** Undefined for a compressed point, which only noble can read. */
  readonly #key: ParsedKey | undefined
  /** Creating this key also checks that the bytes are a point of the curve. */
  readonly #noble: EcdsaVerifyKey
  /** The length of a signature `r || s`, which equals the length of the two coordinates of an uncompressed point. */
  readonly #signatureBytes: number

  /**
   * @param publicKey An encoded point, which is read only during the call.
   * @throws KernelError 400 if the point is not on the curve
   */
  constructor(curve: CurveName, publicKey: Uint8Array) {
    this.#noble = NIST_CURVES.code.ecdsaVerify(curve, publicKey)
    this.#signatureBytes = publicKey.length - 1
    if (publicKey[0] !== 4) return
    this.#key = parsedKey(createPublicKey({ key: Buffer.from(ecSpkiDer(curve, publicKey)), format: 'der', type: 'spki' }))
  }

  verifyDigest(signature: Uint8Array, digest: Uint8Array): boolean {
    return this.#noble.verifyDigest(signature, digest)
  }

  verifyMessage(signature: Uint8Array, message: Uint8Array, hash: HashName): boolean {
    if (!this.#key) return this.#noble.verifyMessage(signature, message, hash)
    if (signature.length !== this.#signatureBytes) return false
    return verify(OPENSSL_NAMES[hash], message, this.#key, signature)
  }

  *verifyMessageSteps(signature: Uint8Array, message: Uint8Array, hash: HashName): Steps<boolean> {
    if (!this.#key) return yield* this.#noble.verifyMessageSteps(signature, message, hash)
    if (signature.length !== this.#signatureBytes) return false
    const state = createVerify(OPENSSL_NAMES[hash])
    yield* inPieces(message.length, PIECE, (from, to) => void state.update(message.subarray(from, to)))
    return state.verify(this.#key, signature)
  }
}
