/**
 * The noble libraries, with the platform's WebCrypto for what it does sooner: longer messages of AES-GCM, and ECDSA. It takes part in the
 * steps alone; what is done in one call is noble's.
 */
import type { CryptoBackend } from '../backend.ts'
import { registerBuiltIn } from '../built-in-backends.ts'
import { AcceleratedGcmKey } from './aes-gcm.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { AcceleratedSignKey, AcceleratedVerifyKey } from './ecdsa.ts'
import type { WebCryptoPlatform } from './subtle.ts'

/** Ed25519 stays noble's: platforms still call their own experimental. */
export function accelerated(noble: CryptoBackend, platform: WebCryptoPlatform): CryptoBackend {
  const { subtle } = platform
  const lane = new ConcurrencyLimit()
  const backend = Object.freeze<CryptoBackend>({
    ...noble,
    name: 'noble and WebCrypto',
    aead: (algorithm, key) => (algorithm === 'aes-gcm' ? new AcceleratedGcmKey(key, platform, lane) : noble.aead(algorithm, key)),
    ecdsaSign: (curve, scalar) => new AcceleratedSignKey(curve, scalar, subtle, lane),
    ecdsaVerify: (curve, publicKey) => new AcceleratedVerifyKey(curve, publicKey, subtle, lane),
  })
  return registerBuiltIn(backend, 'accelerated')
}
