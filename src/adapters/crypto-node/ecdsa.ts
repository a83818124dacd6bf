/**
 * ECDSA over node:crypto. Source: FIPS 186-5 section 6.4.
 *
 * node:crypto always hashes its input and uses its own random numbers. Noble is therefore used to sign and verify digests, and to sign
 * messages if the application supplies the entropy. Noble also does the work if node:crypto refuses a key or a call. For example, Bun's
 * node:crypto has no signatures with SHA-3. Noble's keys are created when they are first needed, because the first one computes tables for
 * about 50 ms.
 */
import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  createSign,
  createVerify,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Entropy } from '../../core/base/entropy.ts'
import { awaitInSteps, inPieces, type Steps } from '../../core/base/steps.ts'
import { ConcurrencyLimit } from '../../core/crypto/accelerated/concurrency-limit.ts'
import { snapshot } from '../../core/crypto/accelerated/imported-key.ts'
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

const isDeno = 'deno' in process.versions

const ECDH_CURVES: Readonly<Record<CurveName, { readonly name: string; readonly scalarBytes: number }>> = {
  'P-256': { name: 'prime256v1', scalarBytes: 32 },
  'P-384': { name: 'secp384r1', scalarBytes: 48 },
  'P-521': { name: 'secp521r1', scalarBytes: 66 },
}

/**
 * Whether a signature or a verification takes about 0.1 ms or less. On the other curves it takes 0.6 to 2 ms, so there the `...Steps` methods
 * yield first, whatever the length of the message is.
 */
const isFast = (curve: CurveName): boolean => curve === 'P-256'

const shortBytesOf = (curve: CurveName): number => (isFast(curve) ? PIECE : -1)

const usesPool = (curve: CurveName, message: Uint8Array): boolean => !isFast(curve) && message.length <= PIECE

/** The thread pool also serves files and DNS, so all keys together have a limited number of calls in it. */
const POOL_LIMIT = /* @__PURE__ */ new ConcurrencyLimit()

let unfinishedCalls = 0

/**
 * Uses the thread pool if several calls have begun, for example the items of a batch. They then use several processors, and the event loop
 * stays free. For a single call, waking a thread takes 0.1 to 0.4 ms, so it is computed on the event loop.
 * @param inPool Starts the computation in the thread pool.
 */
function* hereOrInPool<T>(here: () => T, inPool: (done: (error: Error | null, value: T) => void) => void): Steps<T> {
  unfinishedCalls++
  try {
    // A batch begins its other items only if this item waits for a promise.
    yield nextTurn()
    if (unfinishedCalls === 1) return here()
    const slot = POOL_LIMIT.enter()
    if (slot) yield* awaitInSteps(slot, () => POOL_LIMIT.leave())
    const result = new Promise<T>((resolve, reject) => {
      inPool((error, value) => (error ? reject(error) : resolve(value)))
    })
    return yield* awaitInSteps(result.finally(() => POOL_LIMIT.leave()))
  } finally {
    unfinishedCalls--
  }
}

/**
 * A parsed key and the signature format `r || s`, as the options object that node:crypto takes. The object is kept, so that calls do not
 * allocate it again.
 */
interface ParsedKey {
  readonly key: KeyObject
  readonly dsaEncoding: 'ieee-p1363'
}

const parsedKey = (key: KeyObject): ParsedKey => ({ key, dsaEncoding: 'ieee-p1363' })

/** @throws KernelError 400 if the scalar is not between 1 and the order minus 1 */
export const ecdsaSign = (curve: CurveName, scalar: Uint8Array): EcdsaSignKey => new NodeSignKey(curve, scalar)

/** @throws KernelError 400 if the point is not on the curve */
export const ecdsaVerify = (curve: CurveName, publicKey: Uint8Array): EcdsaVerifyKey => new NodeVerifyKey(curve, publicKey)

class NodeSignKey implements EcdsaSignKey {
  readonly shortBytes: number
  readonly publicKey: Uint8Array
  readonly #curve: CurveName
  #scalar: Uint8Array | undefined
  /** Created by the first signature, because parsing takes as long as ten signatures. */
  #key: ParsedKey | undefined
  #noble: EcdsaSignKey | undefined

  /** @param scalar Big-endian, with the length of the curve's order; copied. */
  constructor(curve: CurveName, scalar: Uint8Array) {
    NIST_CURVES.assertLoaded()
    this.#curve = curve
    this.shortBytes = shortBytesOf(curve)
    this.#scalar = Uint8Array.from(scalar)
    this.publicKey = publicPoint(curve, scalar) ?? this.#nobleKey().publicKey
  }

  signDigest(digest: Uint8Array, hedge: Uint8Array): Uint8Array {
    return this.#nobleKey().signDigest(digest, hedge)
  }

  signMessage(message: Uint8Array, hash: HashName, entropy: Entropy): Uint8Array {
    if (entropy.system) {
      try {
        return bytesOfBuffer(sign(OPENSSL_NAMES[hash], message, this.#parsedKey()))
      } catch {}
    }
    return this.#nobleKey().signMessage(message, hash, entropy)
  }

  *signMessageSteps(message: Uint8Array, hash: HashName, entropy: Entropy): Steps<Uint8Array> {
    if (usesPool(this.#curve, message)) return yield* this.#signSlowly(snapshot(message), hash, entropy)
    if (entropy.system) {
      try {
        const state = createSign(OPENSSL_NAMES[hash])
        yield* inPieces(message.length, PIECE, (from, to) => void state.update(message.subarray(from, to)))
        return bytesOfBuffer(state.sign(this.#parsedKey()))
      } catch {}
    }
    return yield* this.#nobleKey().signMessageSteps(message, hash, entropy)
  }

  agree(point: Uint8Array): Uint8Array | undefined {
    return this.#nobleKey().agree(point)
  }

  wipe(): void {
    this.#noble?.wipe()
    this.#scalar?.fill(0)
    this.#scalar = undefined
    this.#key = undefined
  }

  *#signSlowly(message: Uint8Array, hash: HashName, entropy: Entropy): Steps<Uint8Array> {
    const here = () => this.signMessage(message, hash, entropy)
    if (!entropy.system) {
      yield
      return here()
    }
    try {
      const name = OPENSSL_NAMES[hash]
      const signature = yield* hereOrInPool(here, (done) =>
        sign(name, message, this.#parsedKey(), (error, made) => done(error, made && bytesOfBuffer(made))),
      )
      if (this.#scalar !== undefined) return signature
    } catch {}
    return here()
  }

  #nobleKey(): EcdsaSignKey {
    if (this.#scalar === undefined) throw keyWipedError()
    this.#noble ??= NIST_CURVES.code.ecdsaSign(this.#curve, this.#scalar)
    return this.#noble
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

class NodeVerifyKey implements EcdsaVerifyKey {
  readonly shortBytes: number
  readonly #curve: CurveName
  readonly #point: Uint8Array
  /** The length of a signature `r || s`, which equals the length of the two coordinates of an uncompressed point. */
  readonly #signatureBytes: number
  /** Undefined if node:crypto does not accept the point. */
  readonly #key: ParsedKey | undefined
  #noble: EcdsaVerifyKey | undefined

  /** @param publicKey An encoded point; copied. */
  constructor(curve: CurveName, publicKey: Uint8Array) {
    NIST_CURVES.assertLoaded()
    this.#curve = curve
    this.shortBytes = shortBytesOf(curve)
    this.#point = Uint8Array.from(publicKey)
    this.#signatureBytes = publicKey.length - 1
    this.#key = parsedPoint(curve, publicKey)
    if (!this.#key) this.#nobleKey()
  }

  verifyDigest(signature: Uint8Array, digest: Uint8Array): boolean {
    return this.#nobleKey().verifyDigest(signature, digest)
  }

  verifyMessage(signature: Uint8Array, message: Uint8Array, hash: HashName): boolean {
    if (this.#key) {
      if (signature.length !== this.#signatureBytes) return false
      try {
        return verify(OPENSSL_NAMES[hash], message, this.#key, signature)
      } catch {}
    }
    return this.#nobleKey().verifyMessage(signature, message, hash)
  }

  *verifyMessageSteps(signature: Uint8Array, message: Uint8Array, hash: HashName): Steps<boolean> {
    const key = this.#key
    if (key) {
      if (signature.length !== this.#signatureBytes) return false
      if (usesPool(this.#curve, message)) return yield* this.#verifySlowly(key, snapshot(signature), snapshot(message), hash)
      try {
        const state = createVerify(OPENSSL_NAMES[hash])
        yield* inPieces(message.length, PIECE, (from, to) => void state.update(message.subarray(from, to)))
        return state.verify(key, signature)
      } catch {}
    }
    return yield* this.#nobleKey().verifyMessageSteps(signature, message, hash)
  }

  *#verifySlowly(key: ParsedKey, signature: Uint8Array, message: Uint8Array, hash: HashName): Steps<boolean> {
    const here = () => this.verifyMessage(signature, message, hash)
    try {
      return yield* hereOrInPool(here, (done) => verify(OPENSSL_NAMES[hash], message, key, signature, done))
    } catch {}
    return here()
  }

  #nobleKey(): EcdsaVerifyKey {
    this.#noble ??= NIST_CURVES.code.ecdsaVerify(this.#curve, this.#point)
    return this.#noble
  }
}

/** Multiplies the base point by the scalar. Undefined if node:crypto refuses the scalar or lacks the curve. */
function publicPoint(curve: CurveName, scalar: Uint8Array): Uint8Array | undefined {
  const { name, scalarBytes } = ECDH_CURVES[curve]
  // node:crypto also accepts scalars of other lengths.
  if (scalar.length !== scalarBytes) return undefined
  try {
    const pair = createECDH(name)
    pair.setPrivateKey(scalar)
    return bytesOfBuffer(pair.getPublicKey())
  } catch {
    return undefined
  }
}

/**
 * Undefined if node:crypto refuses the point, or if the point is compressed, which only noble can read. Deno's node:crypto rejects valid
 * signatures of digests that are shorter than half of the order, which no digest is on P-256.
 */
function parsedPoint(curve: CurveName, point: Uint8Array): ParsedKey | undefined {
  if (point[0] !== 4 || (isDeno && curve !== 'P-256')) return undefined
  try {
    return parsedKey(createPublicKey({ key: Buffer.from(ecSpkiDer(curve, point)), format: 'der', type: 'spki' }))
  } catch {
    return undefined
  }
}
