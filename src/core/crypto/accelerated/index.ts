/**
 * The noble backend, with WebCrypto for operations that WebCrypto does faster: AES-GCM for long messages, and ECDSA. Only the `...Steps`
 * methods use WebCrypto; the synchronous methods use noble.
 */
import type { CryptoBackend } from '../backend.ts'
import { registerBuiltIn } from '../built-in-backends.ts'
import { AcceleratedGcmKey } from './aes-gcm.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { AcceleratedSignKey, AcceleratedVerifyKey } from './ecdsa.ts'
import type { WebCryptoPlatform } from './subtle.ts'

/** Ed25519 always uses noble, because implementations of WebCrypto still declare their Ed25519 experimental. */
export function accelerated(noble: CryptoBackend, platform: WebCryptoPlatform): CryptoBackend {
  const { subtle } = platform
  const limit = new ConcurrencyLimit()
  const backend = Object.freeze<CryptoBackend>({
    ...noble,
    name: 'noble and WebCrypto',
    aead: (algorithm, key) =>
      algorithm === 'aes-gcm' ? new AcceleratedGcmKey(key, platform, limit) : noble.aead(algorithm, key),
    ecdsaSign: (curve, scalar) => new AcceleratedSignKey(curve, scalar, subtle, limit),
    ecdsaVerify: (curve, publicKey) => new AcceleratedVerifyKey(curve, publicKey, subtle, limit),
  })
  return registerBuiltIn(backend, 'accelerated')
}
