/** The default backend, which uses the noble libraries. It runs on every platform, and the tests compare all other backends with it. */

import { platform } from '#platform/subtle'
import { readOptions } from '../../base/options.ts'
import { accelerated } from '../accelerated/index.ts'
import type { AeadKey, AeadName, CryptoBackend } from '../backend.ts'
import { registerBuiltIn } from '../built-in-backends.ts'
import { CURVE_25519, NIST_CURVES } from '../curves/curve-code.ts'
import { AesGcmKey } from './aes-gcm.ts'
import { ChaChaKey } from './chacha.ts'
import { nobleHash } from './hash.ts'
import { nobleHkdf } from './hkdf.ts'
import { HmacKey } from './hmac.ts'

const AEADS: Readonly<Record<AeadName, (key: Uint8Array) => AeadKey>> = {
  'aes-gcm': (key) => new AesGcmKey(key),
  'chacha20-poly1305': (key) => new ChaChaKey(12, key),
  'xchacha20-poly1305': (key) => new ChaChaKey(24, key),
}

export interface NobleOptions {
  /**
   * Whether to use the platform's WebCrypto and `node:crypto`, if there are any, for AES-GCM, ChaCha20-Poly1305, hash functions, HMAC, and
   * signatures of messages on NIST curves. They run in constant time, and are used when they are faster. If WebCrypto refuses or fails a
   * call, noble does the work. `false` uses only noble. Default: true.
   */
  readonly accelerate?: boolean
}

/** The backend has no state, so one object is enough. */
export function nobleCrypto(options: NobleOptions = {}): CryptoBackend {
  const { accelerate = true } = readOptions('nobleCrypto', options, { accelerate: 1 })
  return accelerate && platform ? accelerated(NOBLE, platform) : registerBuiltIn(NOBLE, 'noble')
}

const NOBLE: CryptoBackend = /* @__PURE__ */ Object.freeze<CryptoBackend>({
  name: 'noble',
  aead: (algorithm, key) => AEADS[algorithm](key),
  hash: nobleHash,
  hmac: (hash, key) => new HmacKey(hash, key),
  hkdf: nobleHkdf,
  ed25519Sign: (seed) => CURVE_25519.code.ed25519Sign(seed),
  ed25519Verify: (publicKey) => CURVE_25519.code.ed25519Verify(publicKey),
  ecdsaGenerate: (curve, random) => NIST_CURVES.code.ecdsaGenerate(curve, random),
  ecdsaSign: (curve, scalar) => NIST_CURVES.code.ecdsaSign(curve, scalar),
  ecdsaVerify: (curve, publicKey) => NIST_CURVES.code.ecdsaVerify(curve, publicKey),
  x25519: (secretKey) => CURVE_25519.code.x25519(secretKey),
})
