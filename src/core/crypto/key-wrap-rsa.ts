/**
 * A key on its way from one service to another: an AES-256 key under RSA-OAEP, then the key under that with AES-KWP (the PKCS#11
 * mechanism CKM_RSA_AES_KEY_WRAP).
 */
import type { HashName } from './backend.ts'
import { unwrapKeyPadded, wrapKeyPadded } from './key-wrap.ts'
import type { RsaPrivateKey, RsaPublicKey } from './rsa/index.ts'

const EPHEMERAL_BYTES = 32
/** What the originals wrap and unwrap; the longest key, of RSA-4096, has under 2,400 bytes. */
const MIN_KEY_BYTES = 16
const MAX_KEY_BYTES = 8192
/** AES-KWP adds at most 15 bytes. */
const MAX_WRAPPED_BYTES = MAX_KEY_BYTES + 8

/**
 * @param ephemeral 32 random bytes, used once; the caller wipes them.
 * @throws TypeError when the key has less than 16 or more than 8192 bytes; KernelError 400 when the RSA key is too small for the hash.
 */
export function wrapForRsa(recipient: RsaPublicKey, key: Uint8Array, hash: HashName, ephemeral: Uint8Array): Uint8Array {
  if (key.length < MIN_KEY_BYTES || key.length > MAX_KEY_BYTES) throw new TypeError('only keys of 16 to 8192 bytes are wrapped')
  const first = recipient.encryptOaep(ephemeral, hash)
  const second = wrapKeyPadded(ephemeral, key)
  const blob = new Uint8Array(first.length + second.length)
  blob.set(first)
  blob.set(second, first.length)
  return blob
}

/** The key, the caller's, who wipes it; undefined whatever the reason. `blob` must be longer than the RSA modulus. */
export function unwrapWithRsa(own: RsaPrivateKey, blob: Uint8Array, hash: HashName): Uint8Array | undefined {
  const { modulusBytes } = own.publicKey
  const wrapped = blob.subarray(modulusBytes)
  if (wrapped.length > MAX_WRAPPED_BYTES) return undefined
  const opened = own.decryptOaep(blob.subarray(0, modulusBytes), hash)
  // The second step is taken whatever came of the first, so that neither answer nor time tells them apart.
  const ephemeral = opened?.length === EPHEMERAL_BYTES ? opened : new Uint8Array(EPHEMERAL_BYTES)
  const key = unwrapKeyPadded(ephemeral, wrapped)
  opened?.fill(0)
  if (key && (ephemeral !== opened || key.length < MIN_KEY_BYTES)) {
    key.fill(0)
    return undefined
  }
  return key
}
