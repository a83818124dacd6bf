/**
 * Pure Ed25519 that keeps the expanded key. Source: RFC 8032 section 5.1; verification as in OpenSSL and Go.
 *
 * The function `sign` of the noble library expands the seed and computes the public key in every call, which takes half of its time. Here
 * the key is expanded once, and the formula of section 5.1.6 uses noble's point and scalar arithmetic. The signatures are identical.
 */
import { ed25519 } from '@noble/curves/ed25519.js'
import { bytesToNumberLE } from '@noble/curves/utils.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { invalid } from '../../base/errors.ts'
import { inPieces, runToEnd, type Steps } from '../../base/steps.ts'
import type { Ed25519SignKey, VerifyKey } from '../backend.ts'
import { equalBytes } from '../equal.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import { FrequentPoint } from './frequent-point.ts'
import { HASH_PIECE } from './hash.ts'

const { Point } = ed25519

const { BASE, Fn } = Point

const HALF = 32

/** The window size of the table for a public key. Computing the table takes 4 ms. */
const WINDOW_BITS = 4

/** Interprets a SHA-512 digest as a scalar. */
const toScalar = (hash: ReturnType<typeof sha512.create>): bigint => Fn.create(bytesToNumberLE(hash.digest()))

export class NobleEd25519SignKey implements Ed25519SignKey {
  readonly publicKey: Uint8Array
  /**
   * A private copy of the public key. If a caller could change the public key, two signatures with the same nonce but different public keys
   * would reveal the private key.
   */
  readonly #public: Uint8Array
  #secret: { readonly prefix: Uint8Array; readonly scalar: bigint } | undefined

  /**
   * `wipe()` cannot overwrite the scalar, because it is a bigint, and only drops the reference. @param seed 32 bytes, which are neither kept
   * nor changed.
   * @throws TypeError for another length
   */
  constructor(seed: Uint8Array) {
    if (seed.length !== HALF) throw new TypeError('an ed25519 seed must have 32 bytes')
    const { head, prefix, scalar, pointBytes } = ed25519.utils.getExtendedPublicKey(seed)
    head.fill(0)
    this.#secret = { prefix, scalar }
    this.#public = pointBytes
    this.publicKey = pointBytes.slice()
  }

  sign(message: Uint8Array): Uint8Array {
    return runToEnd(this.signSteps(message))
  }

  *signSteps(message: Uint8Array): Steps<Uint8Array> {
    const forNonce = sha512.create().update(this.#alive().prefix)
    // Copy the message, because the caller may change it during a yield. Both hashes must process the same message; otherwise the signature
    // reveals the private key.
    const text = new Uint8Array(message.length)
    yield* inPieces(text.length, HASH_PIECE, (from, to) => {
      text.set(message.subarray(from, to), from)
      forNonce.update(text.subarray(from, to))
    })
    const r = toScalar(forNonce)
    const R = BASE.multiply(r).toBytes()
    const forChallenge = sha512.create().update(R).update(this.#public)
    yield* inPieces(text.length, HASH_PIECE, (from, to) => forChallenge.update(text.subarray(from, to)))
    const signature = new Uint8Array(2 * HALF)
    signature.set(R)
    signature.set(Fn.toBytes(Fn.create(r + toScalar(forChallenge) * this.#alive().scalar)), HALF)
    return signature
  }

  wipe(): void {
    this.#secret?.prefix.fill(0)
    this.#secret = undefined
  }

  #alive(): { readonly prefix: Uint8Array; readonly scalar: bigint } {
    if (this.#secret === undefined) throw keyWipedError()
    return this.#secret
  }
}

export class NobleEd25519VerifyKey implements VerifyKey {
  readonly #bytes: Uint8Array
  /** The negated public point -A. The verification equation is solved for R, which requires -A. */
  readonly #negated: FrequentPoint<InstanceType<typeof Point>>

  /**
   * Accepts the same encodings as OpenSSL and Go, including y >= p. The hash uses the bytes as they were given.
   * @param publicKey The encoded point. It is copied.
   * @throws KernelError 400 if the bytes are not a point of the curve
   */
  constructor(publicKey: Uint8Array) {
    this.#bytes = Uint8Array.from(publicKey)
    try {
      this.#negated = new FrequentPoint(() => Point.fromBytes(this.#bytes, true).negate(), WINDOW_BITS)
    } catch {
      throw invalid('the key is not an ed25519 public key')
    }
  }

  verify(signature: Uint8Array, message: Uint8Array): boolean {
    return runToEnd(this.verifySteps(signature, message))
  }

  *verifySteps(signature: Uint8Array, message: Uint8Array): Steps<boolean> {
    if (signature.length !== 2 * HALF) return false
    const R = signature.slice(0, HALF)
    const S = bytesToNumberLE(signature.subarray(HALF))
    if (!Fn.isValid(S)) return false
    const forChallenge = sha512.create().update(R).update(this.#bytes)
    yield* inPieces(message.length, HASH_PIECE, (from, to) => forChallenge.update(message.subarray(from, to)))
    // The encoding of [S]B - [k]A must equal the bytes of R. This comparison does not multiply by the cofactor, and it accepts only one
    // encoding of R.
    this.#negated.use()
    const expected = BASE.multiplyUnsafe(S).add(this.#negated.times(toScalar(forChallenge)))
    return equalBytes(expected.toBytes(), R)
  }
}
