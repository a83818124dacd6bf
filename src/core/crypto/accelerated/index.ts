/**
 * The noble libraries, with the platform's WebCrypto for what it does sooner: longer messages of AES-GCM, and ECDSA. It takes part in the
 * steps alone; what is done in one call is noble's.
 */
import type { CryptoBackend } from '../backend.ts'
import { asOwn } from '../own-backends.ts'
import { AcceleratedGcmKey } from './aes-gcm.ts'
import { AcceleratedSignKey, AcceleratedVerifyKey } from './ecdsa.ts'
import { Lane } from './lane.ts'
import type { Platform } from './subtle.ts'

/** Ed25519 stays noble's: platforms still call their own experimental. */
export function accelerated(noble: CryptoBackend, platform: Platform): CryptoBackend {
  const { subtle } = platform
  const lane = new Lane()
  const backend = Object.freeze<CryptoBackend>({
    ...noble,
    name: 'noble and WebCrypto',
    aead: (algorithm, key) => (algorithm === 'aes-gcm' ? new AcceleratedGcmKey(key, platform, lane) : noble.aead(algorithm, key)),
    ecdsaSign: (curve, scalar) => new AcceleratedSignKey(curve, scalar, subtle, lane),
    ecdsaVerify: (curve, publicKey) => new AcceleratedVerifyKey(curve, publicKey, subtle, lane),
  })
  return asOwn(backend, 'accelerated')
}
