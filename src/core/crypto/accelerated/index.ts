/**
 * A backend that uses noble, except for the operations that the platform does faster: AES-GCM, hash functions and HMAC for long messages,
 * ChaCha20-Poly1305, and ECDSA. WebCrypto is asynchronous, so only the `...Steps` methods can use it. The synchronous methods use the synchronous functions of the
 * platform, if it has them, and noble.
 */
import type { CryptoBackend, Hash, HashName } from '../backend.ts'
import { registerBuiltIn } from '../built-in-backends.ts'
import { NIST_CURVES } from '../curves/curve-code.ts'
import { AcceleratedGcmKey } from './aes-gcm.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import { hashByLength, MacKeyByLength } from './hashes.ts'
import type { PlatformEcdsa, PlatformHashes, Subtle, WebCryptoPlatform } from './subtle.ts'

const CHACHA_KEY_BYTES = 32

const PLATFORM_ECDSA: PlatformEcdsa & Pick<CryptoBackend, 'nativeCurves'> = {
  nativeCurves: ['P-256', 'P-384', 'P-521'],
  ecdsaSign: (curve, scalar) => NIST_CURVES.code.platform.ecdsaSign(curve, scalar),
  ecdsaVerify: (curve, publicKey) => NIST_CURVES.code.platform.ecdsaVerify(curve, publicKey),
}

const webCryptoEcdsa = (subtle: Subtle, limit: ConcurrencyLimit): PlatformEcdsa => ({
  ecdsaSign: (curve, scalar) => NIST_CURVES.code.acceleratedEcdsaSign(curve, scalar, subtle, limit),
  ecdsaVerify: (curve, publicKey) => NIST_CURVES.code.acceleratedEcdsaVerify(curve, publicKey, subtle, limit),
})

function platformHashes(noble: CryptoBackend, platform: PlatformHashes): Pick<CryptoBackend, 'hash' | 'hmac'> {
  const { shortBytes } = platform
  const known = new Map<HashName, Hash>()
  return {
    hash(name) {
      const found = known.get(name)
      if (found) return found
      const short = noble.hash(name)
      const hash = platform.has(name) ? hashByLength(short, platform.hash(name), shortBytes) : short
      known.set(name, hash)
      return hash
    },
    hmac(hash, key) {
      if (!platform.has(hash)) return noble.hmac(hash, key)
      const create = { short: (raw: Uint8Array) => noble.hmac(hash, raw), long: (raw: Uint8Array) => platform.hmac(hash, raw) }
      return new MacKeyByLength(key, create, shortBytes)
    },
  }
}

/**
 * Combines noble and WebCrypto. Ed25519 always uses noble, because implementations of WebCrypto still declare their support for Ed25519
 * experimental.
 */
export function accelerated(noble: CryptoBackend, platform: WebCryptoPlatform): CryptoBackend {
  const limit = new ConcurrencyLimit()
  const backend = Object.freeze<CryptoBackend>({
    ...noble,
    name: 'noble and WebCrypto',
    aead: (algorithm, key) => {
      if (algorithm === 'aes-gcm') return new AcceleratedGcmKey(key, platform, limit)
      const own = algorithm === 'chacha20-poly1305' && key.length === CHACHA_KEY_BYTES ? platform.chacha?.(key) : undefined
      return own ?? noble.aead(algorithm, key)
    },
    ...(platform.hashes && platformHashes(noble, platform.hashes)),
    ...(platform.ecdsa ? PLATFORM_ECDSA : webCryptoEcdsa(platform.subtle, limit)),
  })
  return registerBuiltIn(backend, 'accelerated')
}
