/** X25519 over node:crypto. Source: RFC 7748 section 6.1. */
import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto'
import { X25519_BYTES, type X25519Key } from '../../core/crypto/backend.ts'
import { keyWipedError } from '../../core/crypto/key-wiped-error.ts'
import { bytesOfBuffer } from './plain-bytes.ts'

/** A PKCS#8 key in DER is this prefix, followed by the 32 bytes of the key (RFC 8410 section 7). */
const PKCS8 = /* @__PURE__ */ Buffer.from('302e020100300506032b656e04220420', 'hex')

export class NodeX25519Key implements X25519Key {
  readonly publicKey: Uint8Array
  #key: KeyObject | undefined

  /** @param secretKey 32 bytes; copied. @throws TypeError for another length */
  constructor(secretKey: Uint8Array) {
    if (secretKey.length !== X25519_BYTES) throw new TypeError('an X25519 secret key must have 32 bytes')
    const der = Buffer.concat([PKCS8, secretKey])
    this.#key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    der.fill(0)
    this.publicKey = Uint8Array.from(Buffer.from(createPublicKey(this.#key).export({ format: 'jwk' }).x!, 'base64url'))
  }

  agree(publicKey: Uint8Array): Uint8Array | undefined {
    if (this.#key === undefined) throw keyWipedError()
    if (publicKey.length !== X25519_BYTES) return undefined
    // Parsing the public key from a JWK takes a sixth of the time that parsing it from DER takes. The secret key uses DER, because a string
    // with a secret cannot be wiped.
    const x = Buffer.from(publicKey).toString('base64url')
    const other = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' })
    try {
      return bytesOfBuffer(diffieHellman({ privateKey: this.#key, publicKey: other }))
    } catch {
      // OpenSSL refuses a public key of low order, whose shared secret would be zero.
      return undefined
    }
  }

  wipe(): void {
    this.#key = undefined
  }
}
