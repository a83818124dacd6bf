import { X25519_BYTES, type X25519Key } from '../backend.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import { x25519Agree, x25519PublicKey } from '../x25519.ts'

export class NobleX25519Key implements X25519Key {
  readonly publicKey: Uint8Array
  #secretKey: Uint8Array | undefined

  /** @param secretKey 32 bytes. They are copied. @throws TypeError for another length */
  constructor(secretKey: Uint8Array) {
    if (secretKey.length !== X25519_BYTES) throw new TypeError('an X25519 secret key must have 32 bytes')
    this.#secretKey = Uint8Array.from(secretKey)
    this.publicKey = x25519PublicKey(this.#secretKey)
  }

  agree(publicKey: Uint8Array): Uint8Array | undefined {
    if (this.#secretKey === undefined) throw keyWipedError()
    return x25519Agree(this.#secretKey, publicKey)
  }

  wipe(): void {
    this.#secretKey?.fill(0)
    this.#secretKey = undefined
  }
}
