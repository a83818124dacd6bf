import type { Wipeable } from '../../../core/crypto/backend.ts'
import { noPrivateHalf } from '../material.ts'

/** A key pair, or only its public half. The public half of a pair is decoded by the first verification. */
export class SigningPair<S extends Wipeable, V extends object> implements Wipeable {
  readonly #signing: S | undefined
  readonly #decode: () => V
  #verifying: V | undefined

  constructor(signing: S | undefined, decode: () => V) {
    this.#signing = signing
    this.#decode = decode
  }

  /** @throws KernelError 400 if the version has only a public key */
  get signing(): S {
    if (!this.#signing) throw noPrivateHalf()
    return this.#signing
  }

  get verifying(): V {
    this.#verifying ??= this.#decode()
    return this.#verifying
  }

  wipe(): void {
    this.#signing?.wipe()
  }
}
