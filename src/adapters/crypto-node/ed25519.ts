/**
 * Pure Ed25519 over node:crypto. Source: RFC 8032 section 5.1.
 *
 * OpenSSL wants the message in one piece, at 3 ms per MiB: longer ones go through the noble module, whose steps give way.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { Ed25519SignKey, Steps, VerifyKey } from '../../core/crypto/backend.ts'
import { NobleEd25519SignKey, NobleEd25519VerifyKey } from '../../core/crypto/noble/ed25519.ts'
import { wiped } from '../../core/crypto/wiped.ts'

const IN_ONE_PIECE = 1_048_576

/** PKCS#8 and SPKI are fixed bytes before the 32 of the key (RFC 8410 sections 4 and 7). */
const PKCS8 = /* @__PURE__ */ Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI = /* @__PURE__ */ Buffer.from('302a300506032b6570032100', 'hex')

export class NodeEd25519SignKey implements Ed25519SignKey {
  readonly publicKey: Uint8Array
  #key: KeyObject | undefined
  #seed: Uint8Array | undefined

  /** `seed`: 32 bytes, copied. @throws TypeError for another length. */
  constructor(seed: Uint8Array) {
    if (seed.length !== 32) throw new TypeError('an ed25519 seed has 32 bytes')
    const der = Buffer.concat([PKCS8, seed])
    this.#key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    der.fill(0)
    this.#seed = Uint8Array.from(seed)
    this.publicKey = Uint8Array.from(createPublicKey(this.#key).export({ type: 'spki', format: 'der' }).subarray(SPKI.length))
  }

  sign(message: Uint8Array): Uint8Array {
    if (this.#key === undefined) throw wiped()
    return Uint8Array.from(sign(null, message, this.#key))
  }

  *signSteps(message: Uint8Array): Steps<Uint8Array> {
    if (this.#seed === undefined || message.length <= IN_ONE_PIECE) return this.sign(message)
    const key = new NobleEd25519SignKey(this.#seed)
    try {
      const steps = key.signSteps(message)
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done) return step.value
        yield
        if (this.#seed === undefined) throw wiped()
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
  /** Also the check that OpenSSL leaves out: that the bytes are a point at all. */
  readonly #noble: NobleEd25519VerifyKey

  /** @throws KernelError (400) when the bytes are no point of the curve or not 32. */
  constructor(publicKey: Uint8Array) {
    this.#noble = new NobleEd25519VerifyKey(publicKey)
    this.#key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' })
  }

  verify(signature: Uint8Array, message: Uint8Array): boolean {
    return signature.length === 64 && verify(null, message, this.#key, signature)
  }

  *verifySteps(signature: Uint8Array, message: Uint8Array): Steps<boolean> {
    if (message.length <= IN_ONE_PIECE) return this.verify(signature, message)
    return yield* this.#noble.verifySteps(signature, message)
  }
}
