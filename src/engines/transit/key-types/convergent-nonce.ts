/**
 * Nonces of convergent encryption, which are derived from the input.
 *
 * Without associated data, the nonces equal those of Vault and OpenBao. With associated data, they differ. Vault and OpenBao derive the
 * nonce from the plaintext alone, so one plaintext with two different associated data has two ciphertexts under the same key and nonce,
 * which reveal the authentication key. Here the nonce depends on the associated data, too. Ciphertexts contain their nonces, so each system
 * still decrypts the ciphertexts of the others.
 */
import { runToEnd, SLICE_BYTES, type Steps } from '../../../core/base/steps.ts'
import type { CryptoBackend, MacKey } from '../../../core/crypto/backend.ts'
import type { VersionKey } from '../material.ts'
import { deriveBindingKey } from './derive.ts'
import type { Derivation, SealJob } from './key-type.ts'

/** Returns 32 bytes that begin with the nonce. Convergent version 2 derives them with the context instead of `nonceKey`. */
export function convergentNonce(
  crypto: CryptoBackend,
  key: VersionKey,
  derivation: Derivation,
  nonceKey: Uint8Array,
  { plaintext, associatedData, sync }: SealJob,
): Uint8Array | Steps<Uint8Array> {
  const bound = associatedData.length > 0
  const ofVersion = derivation.convergent === 2 ? derivation.context : nonceKey
  const mac = bound ? bindingMac(crypto, key, derivation) : crypto.hmac('sha2-256', ofVersion)
  const steps = bound ? boundNonce(crypto, mac, plaintext, associatedData) : macThenWipe(mac, plaintext)
  return !sync && plaintext.length + associatedData.length > SLICE_BYTES ? steps : runToEnd(steps)
}

function bindingMac(crypto: CryptoBackend, key: VersionKey, derivation: Derivation): MacKey {
  const bytes = deriveBindingKey(key, derivation)
  try {
    return crypto.hmac('sha2-256', bytes)
  } finally {
    bytes.fill(0)
  }
}

/** HMAC(HMAC(binding key, associated data), plaintext). Two separate MACs, so that no byte can move from one input to the other. */
function* boundNonce(
  crypto: CryptoBackend,
  binding: MacKey,
  plaintext: Uint8Array,
  associatedData: Uint8Array,
): Steps<Uint8Array> {
  const own = yield* macThenWipe(binding, associatedData)
  const mac = crypto.hmac('sha2-256', own)
  own.fill(0)
  return yield* macThenWipe(mac, plaintext)
}

function* macThenWipe(mac: MacKey, data: Uint8Array): Steps<Uint8Array> {
  try {
    return data.length > SLICE_BYTES ? yield* mac.macSteps(data) : mac.mac(data)
  } finally {
    mac.wipe()
  }
}
