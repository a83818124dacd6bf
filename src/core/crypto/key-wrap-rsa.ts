/**
 * Wraps keys for transfer between services. The key is wrapped with an AES-256 key (AES-KWP), and the AES-256 key is encrypted with
 * RSA-OAEP and put before the wrapped key. This is the PKCS#11 mechanism CKM_RSA_AES_KEY_WRAP.
 */
import { isSteps, mapOutcome, runToEnd, type Steps } from '../base/steps.ts'
import type { HashName } from './backend.ts'
import { unwrapKeyPadded, wrapKeyPadded } from './key-wrap.ts'
import type { RsaPrivateKey, RsaPublicKey } from './rsa/index.ts'

const EPHEMERAL_BYTES = 32
/** Vault's limits for the length of a key. The longest real key, RSA-4096, has less than 2,400 bytes. */
const MIN_KEY_BYTES = 16
const MAX_KEY_BYTES = 8192
const MAX_WRAPPED_BYTES = MAX_KEY_BYTES + 8

/**
 * @param ephemeral The AES key: 32 random bytes that must be used only once. The caller wipes them.
 * @throws TypeError if the key has less than 16 or more than 8192 bytes. KernelError 400 if the RSA key is too small for the hash.
 */
export function wrapForRsa(recipient: RsaPublicKey, key: Uint8Array, hash: HashName, ephemeral: Uint8Array): Uint8Array {
  if (key.length < MIN_KEY_BYTES || key.length > MAX_KEY_BYTES)
    throw new TypeError('key: must have 16 to 8192 bytes to be wrapped')
  const first = recipient.encryptOaep(ephemeral, hash)
  const second = wrapKeyPadded(ephemeral, key)
  const blob = new Uint8Array(first.length + second.length)
  blob.set(first)
  blob.set(second, first.length)
  return blob
}

/** Returns the unwrapped key. The caller owns and wipes it. Undefined after any failure. `blob` must be longer than the RSA modulus. */
export function unwrapWithRsa(own: RsaPrivateKey, blob: Uint8Array, hash: HashName): Uint8Array | undefined {
  const outcome = unwrapWithRsaSteps(own, blob, hash)
  return isSteps(outcome) ? runToEnd(outcome) : outcome
}

/** Does the same as {@link unwrapWithRsa}. Returns a generator if the implementation of RSA computes in slices. */
export function unwrapWithRsaSteps(
  own: RsaPrivateKey,
  blob: Uint8Array,
  hash: HashName,
): Uint8Array | undefined | Steps<Uint8Array | undefined> {
  const { modulusBytes } = own.publicKey
  const wrapped = blob.subarray(modulusBytes)
  if (wrapped.length > MAX_WRAPPED_BYTES) return undefined
  return mapOutcome(own.decryptOaepSteps(blob.subarray(0, modulusBytes), hash), (opened) => unwrap(opened, wrapped))
}

function unwrap(opened: Uint8Array | undefined, wrapped: Uint8Array): Uint8Array | undefined {
  // Unwrap even if the RSA decryption failed, so that neither the result nor the time reveals which step failed.
  const ephemeral = opened?.length === EPHEMERAL_BYTES ? opened : new Uint8Array(EPHEMERAL_BYTES)
  const key = unwrapKeyPadded(ephemeral, wrapped)
  opened?.fill(0)
  if (key && (ephemeral !== opened || key.length < MIN_KEY_BYTES)) {
    key.fill(0)
    return undefined
  }
  return key
}
