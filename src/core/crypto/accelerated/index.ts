/**
 * A backend that uses noble, except for the operations that WebCrypto does faster: AES-GCM for long messages, and ECDSA. WebCrypto is
 * asynchronous, so only the `...Steps` methods can use it; the synchronous methods always use noble.
 */
import type { CryptoBackend } from '../backend.ts'
import { registerBuiltIn } from '../built-in-backends.ts'
import { NIST_CURVES } from '../curves/curve-code.ts'
import { AcceleratedGcmKey } from './aes-gcm.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import type { WebCryptoPlatform } from './subtle.ts'

/**
 * Combines noble and WebCrypto. Ed25519 always uses noble, because implementations of WebCrypto still declare their support for Ed25519
 * experimental.
 */
export function accelerated(noble: CryptoBackend, platform: WebCryptoPlatform): CryptoBackend {
  const { subtle } = platform
  const limit = new ConcurrencyLimit()
  const backend = Object.freeze<CryptoBackend>({
    ...noble,
    name: 'noble and WebCrypto',
    aead: (algorithm, key) =>
      algorithm === 'aes-gcm' ? new AcceleratedGcmKey(key, platform, limit) : noble.aead(algorithm, key),
    ecdsaSign: (curve, scalar) => NIST_CURVES.code.acceleratedEcdsaSign(curve, scalar, subtle, limit),
    ecdsaVerify: (curve, publicKey) => NIST_CURVES.code.acceleratedEcdsaVerify(curve, publicKey, subtle, limit),
  })
  return registerBuiltIn(backend, 'accelerated')
}
