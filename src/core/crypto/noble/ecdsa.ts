/** ECDSA over P-224, P-256, P-384 and P-521. Sources: FIPS 186-5 section 6.4, RFC 6979 sections 3.2 and 3.6 (hedging). */
import { p256, p384, p521 } from '@noble/curves/nist.js'
import { bytesToNumberBE } from '@noble/curves/utils.js'
import type { Entropy } from '../../base/entropy.ts'
import { invalid } from '../../base/errors.ts'
import { SLICE_BYTES, type Steps } from '../../base/steps.ts'
import type { EcCurve } from '../asn1/object-ids.ts'
import { type CurveName, type EcdsaSignKey, type EcdsaVerifyKey, type HashName, HEDGE_BYTES } from '../backend.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import { FrequentPoint } from './frequent-point.ts'
import { NOBLE_HASHES, nobleHash } from './hash.ts'
import { p224 } from './p224.ts'

const CURVES = { 'P-256': p256, 'P-384': p384, 'P-521': p521 } as const satisfies Record<CurveName, unknown>
type Curve = (typeof CURVES)[CurveName]
const curveNamed = (name: EcCurve): Curve => (name === 'P-224' ? p224() : CURVES[name])

/**
 * The window sizes of the tables for public keys. Computing a table takes 13 ms for P-256 and 20 ms for P-384, and would take too long for
 * P-521. The code that uses the tables does not shift truncated digests. This is correct because the orders of P-256 and P-384 fill whole
 * bytes.
 */
const WINDOW_BITS: Readonly<Partial<Record<EcCurve, number>>> = { 'P-256': 4, 'P-384': 3 }

/**
 * `prehash` is false because the input is a digest. `lowS` is false because only protocols such as Bitcoin's require the lower value of s.
 */
const OPTIONS = { prehash: false, lowS: false, format: 'compact' } as const

/**
 * The bytes of a digest that are used. FIPS 186-5 keeps only as many bits as the order has; noble drops the extra bits in the last byte.
 * The digest is truncated here first, because noble refuses digests over 8 KiB, which callers may send as prehashed input.
 */
const truncated = (curve: Curve, digest: Uint8Array): Uint8Array => digest.subarray(0, curve.Point.Fn.BYTES)

export function nobleEcdsaGenerate(name: EcCurve, random: (n: number) => Uint8Array): Uint8Array {
  const curve = curveNamed(name)
  const seed = random(curve.lengths.seed ?? 0)
  try {
    return curve.utils.randomSecretKey(seed)
  } finally {
    seed.fill(0)
  }
}

export class NobleEcdsaSignKey implements EcdsaSignKey {
  readonly publicKey: Uint8Array
  readonly shortBytes: number = SLICE_BYTES
  readonly #curve: Curve
  #scalar: Uint8Array | undefined

  /** @param scalar Big-endian, as long as the order. It is copied. @throws KernelError 400 if the scalar is not between 1 and order - 1 */
  constructor(name: EcCurve, scalar: Uint8Array) {
    this.#curve = curveNamed(name)
    if (!this.#curve.utils.isValidSecretKey(scalar)) throw invalid(`the key is not a private key on the curve ${name}`)
    this.#scalar = Uint8Array.from(scalar)
    this.publicKey = this.#curve.getPublicKey(this.#scalar, false)
  }

  signDigest(digest: Uint8Array, hedge: Uint8Array): Uint8Array {
    if (this.#scalar === undefined) throw keyWipedError()
    return this.#curve.sign(truncated(this.#curve, digest), this.#scalar, { ...OPTIONS, extraEntropy: hedge })
  }

  signMessage(message: Uint8Array, hash: HashName, entropy: Entropy): Uint8Array {
    return this.signDigest(NOBLE_HASHES[hash](message), entropy.bytes(HEDGE_BYTES))
  }

  *signMessageSteps(message: Uint8Array, hash: HashName, entropy: Entropy): Steps<Uint8Array> {
    return this.signDigest(yield* nobleHash(hash).digestSteps(message), entropy.bytes(HEDGE_BYTES))
  }

  agree(point: Uint8Array): Uint8Array | undefined {
    if (this.#scalar === undefined) throw keyWipedError()
    const shared = this.#sharedPoint(point, this.#scalar)
    if (!shared) return undefined
    const x = shared.slice(1, 1 + (shared.length - 1) / 2)
    shared.fill(0)
    return x
  }

  /** Returns the shared point, uncompressed. Undefined if `point` is not on the curve. */
  #sharedPoint(point: Uint8Array, scalar: Uint8Array): Uint8Array | undefined {
    try {
      return this.#curve.getSharedSecret(scalar, point, false)
    } catch {
      return undefined
    }
  }

  wipe(): void {
    this.#scalar?.fill(0)
    this.#scalar = undefined
  }
}

export class NobleEcdsaVerifyKey implements EcdsaVerifyKey {
  readonly shortBytes: number = SLICE_BYTES
  readonly #curve: Curve
  readonly #bytes: Uint8Array
  readonly #point: FrequentPoint<InstanceType<Curve['Point']>>

  /**
   * @param publicKey An encoded point, compressed or uncompressed. It is neither kept nor changed. @throws KernelError 400 if the point is
   * not on the curve
   */
  constructor(name: EcCurve, publicKey: Uint8Array) {
    this.#curve = curveNamed(name)
    try {
      const point = this.#curve.Point.fromBytes(publicKey)
      this.#bytes = point.toBytes(false)
      this.#point = new FrequentPoint(() => point.negate().negate(), WINDOW_BITS[name] ?? 0)
    } catch {
      throw invalid(`the key is not a public key on the curve ${name}`)
    }
  }

  verifyDigest(signature: Uint8Array, digest: Uint8Array): boolean {
    if (signature.length !== this.#curve.lengths.signature) return false
    const used = truncated(this.#curve, digest)
    return this.#point.use() ? this.#verify(signature, used) : this.#curve.verify(signature, used, this.#bytes, OPTIONS)
  }

  /**
   * Verification by FIPS 186-5 section 6.4.2. It is implemented here because the function of the noble library cannot use the precomputed
   * table.
   */
  #verify(signature: Uint8Array, digest: Uint8Array): boolean {
    const { BASE, Fn } = this.#curve.Point
    const half = signature.length / 2
    const r = bytesToNumberBE(signature.subarray(0, half))
    const s = bytesToNumberBE(signature.subarray(half))
    if (!Fn.isValidNot0(r) || !Fn.isValidNot0(s)) return false
    const inverse = Fn.inv(s)
    const R = BASE.multiplyUnsafe(Fn.mul(Fn.create(bytesToNumberBE(digest)), inverse)).add(this.#point.times(Fn.mul(r, inverse)))
    return !R.is0() && Fn.create(R.toAffine().x) === r
  }

  verifyMessage(signature: Uint8Array, message: Uint8Array, hash: HashName): boolean {
    return this.verifyDigest(signature, NOBLE_HASHES[hash](message))
  }

  *verifyMessageSteps(signature: Uint8Array, message: Uint8Array, hash: HashName): Steps<boolean> {
    return this.verifyDigest(signature, yield* nobleHash(hash).digestSteps(message))
  }
}
