import { decodeBase64 } from '../core/base/base64.ts'
import type { Entropy } from '../core/base/entropy.ts'
import { invalid } from '../core/base/errors.ts'
import { toHex } from '../core/base/identifiers.ts'
import { readOptions } from '../core/base/options.ts'
import type { Pgp } from '../core/contract/ports.ts'
import { nobleCrypto } from '../core/crypto/noble/index.ts'
import { seededEntropy } from './seeded-entropy.ts'

export interface FakePgp extends Pgp {
  /** Decrypts a message with the private key for `publicKey`. @throws TypeError if it was encrypted to another key or was changed. */
  decrypt(message: Uint8Array, publicKey: string): Uint8Array
}

const NONCE_BYTES = 12
const TAG_BYTES = 16
const EMPTY = new Uint8Array(0)

/**
 * Returns a PGP port that does not use PGP, for tests. Any non-empty base64 text is accepted as a public key.
 * @param given.broken Public keys that `encrypt` refuses.
 */
export function fakePgp(given: { readonly broken?: readonly string[]; readonly entropy?: Entropy } = {}): FakePgp {
  const options = readOptions('fakePgp', given, { broken: 1, entropy: 1 })
  const crypto = nobleCrypto()
  const entropy = options.entropy ?? seededEntropy('pgp')
  const digest = (publicKey: string): Uint8Array => {
    const bytes = decodeBase64(publicKey, 'error decoding given PGP key')
    if (bytes.length === 0 || options.broken?.includes(publicKey))
      throw invalid('error parsing given PGP key: it cannot be used for encryption')
    return crypto.hkdf('sha2-256', bytes, undefined, EMPTY, 32)
  }
  return {
    async encrypt(bytes, publicKey) {
      const aead = crypto.aead('aes-gcm', digest(publicKey))
      const message = new Uint8Array(NONCE_BYTES + bytes.length + TAG_BYTES)
      const nonce = entropy.bytes(NONCE_BYTES)
      message.set(nonce)
      aead.seal(nonce, bytes, EMPTY, message, NONCE_BYTES)
      return message
    },
    async fingerprint(publicKey) {
      return toHex(digest(publicKey).subarray(0, 20))
    },
    decrypt(message, publicKey) {
      const opened = crypto
        .aead('aes-gcm', digest(publicKey))
        .open(message.subarray(0, NONCE_BYTES), message.subarray(NONCE_BYTES), EMPTY)
      if (!opened) throw new TypeError('fakePgp: the message was not encrypted to this key')
      return opened
    },
  }
}
