/**
 * Pure Ed25519 over node:crypto. Source: RFC 8032 section 5.1.
 *
 * OpenSSL needs the message in one piece and takes 3 ms per MiB. Noble therefore signs and verifies messages above 1 MiB, in steps.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { Steps } from '../../core/base/steps.ts'
import type { Ed25519SignKey, VerifyKey } from '../../core/crypto/backend.ts'
import { CURVE_25519 } from '../../core/crypto/curves/curve-code.ts'
import { keyWipedError } from '../../core/crypto/key-wiped-error.ts'
import { bytesOfBuffer } from './plain-bytes.ts'

const MAX_ONE_PIECE_BYTES = 1_048_576

/** A PKCS#8 or SPKI key in DER is the prefix below, followed by the 32 bytes of the key (RFC 8410 sections 4 and 7). */
const PKCS8 = /* @__PURE__ */ Buffer.from('302e020100300506032b657004220420', 'hex')

const SPKI = /* @__PURE__ */ Buffer.from('302a300506032b6570032100', 'hex')

/**
 * The y coordinates of the points of small order, in canonical and non-canonical encodings, with the sign bit cleared. Node 24 and 26
 * reject a signature without verifying it if its public key or its first half (the point R) is such a point; Node 20 and 22 verify it. The
 * result must not depend on the runtime, so noble verifies these signatures.
 */
const SMALL_ORDER: ReadonlySet<string> = /* @__PURE__ */ new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

/** The last bytes of the coordinates in `SMALL_ORDER`: a quick check that excludes nearly all other points. */
const SMALL_ORDER_LAST_BYTES: ReadonlySet<number> = /* @__PURE__ */ new Set([0x00, 0x05, 0x7a, 0x7f])

function hasSmallOrder(point: Uint8Array): boolean {
  if (!SMALL_ORDER_LAST_BYTES.has(point[31]! & 0x7f)) return false
  const y = Buffer.from(point)
  y[31]! &= 0x7f
  return SMALL_ORDER.has(y.toString('hex'))
}

export class NodeEd25519SignKey implements Ed25519SignKey {
  readonly publicKey: Uint8Array
  #key: KeyObject | undefined
  #seed: Uint8Array | undefined

  /** @param seed 32 bytes; copied. @throws TypeError for another length */
  constructor(seed: Uint8Array) {
    if (seed.length !== 32) throw new TypeError('an ed25519 seed must have 32 bytes')
    const der = Buffer.concat([PKCS8, seed])
    this.#key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    der.fill(0)
    this.#seed = Uint8Array.from(seed)
    this.publicKey = Uint8Array.from(createPublicKey(this.#key).export({ type: 'spki', format: 'der' }).subarray(SPKI.length))
  }

  sign(message: Uint8Array): Uint8Array {
    if (this.#key === undefined) throw keyWipedError()
    return bytesOfBuffer(sign(null, message, this.#key))
  }

  *signSteps(message: Uint8Array): Steps<Uint8Array> {
    if (this.#seed === undefined || message.length <= MAX_ONE_PIECE_BYTES) return this.sign(message)
    const key = CURVE_25519.code.ed25519Sign(this.#seed)
    try {
      const steps = key.signSteps(message)
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done) return step.value
        yield step.value
        if (this.#seed === undefined) throw keyWipedError()
      }
    } finally {
      key.wipe()
    }
  }

  wipe(): void {
    this.#key = undefined
    this.#seed?.fill(0)
    this.#seed = undefined
  }
}

export class NodeEd25519VerifyKey implements VerifyKey {
  readonly #key: KeyObject
  /** Creating this key also checks that the bytes are a point of the curve, which OpenSSL does not check. */
  readonly #noble: VerifyKey
  readonly #smallOrder: boolean

  /** @throws KernelError 400 if the bytes are not a point of the curve */
  constructor(publicKey: Uint8Array) {
    this.#noble = CURVE_25519.code.ed25519Verify(publicKey)
    this.#smallOrder = hasSmallOrder(publicKey)
    this.#key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' })
  }

  verify(signature: Uint8Array, message: Uint8Array): boolean {
    if (signature.length !== 64) return false
    if (this.#smallOrder || hasSmallOrder(signature.subarray(0, 32))) return this.#noble.verify(signature, message)
    return verify(null, message, this.#key, signature)
  }

  *verifySteps(signature: Uint8Array, message: Uint8Array): Steps<boolean> {
    if (message.length <= MAX_ONE_PIECE_BYTES) return this.verify(signature, message)
    return yield* this.#noble.verifySteps(signature, message)
  }
}
