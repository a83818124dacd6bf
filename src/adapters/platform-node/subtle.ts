/** WebCrypto of Node, whose operations run on pool threads, and AES-GCM, ChaCha20-Poly1305 and ECDSA of node:crypto. */
import { getCipherInfo, webcrypto } from 'node:crypto'
import type { WebCryptoPlatform } from '../../core/crypto/accelerated/subtle.ts'
import { NodeAeadKey, nodeAesGcm } from '../crypto-node/aead-key.ts'

/** A value of 2 MiB with its tag and its additional data. */
const TWO_MIB_AND_OVERHEAD = 2_097_152 + 4_096

const CHACHA = 'chacha20-poly1305'

/** Longer messages are encrypted and decrypted in steps. */
const MAX_SHORT_BYTES = 262_144

/** The ECDSA of Deno's node:crypto is not used, because it takes longer than Deno's WebCrypto. It has no ChaCha20-Poly1305. */
const isDeno = 'deno' in process.versions

/**
 * node:crypto processes 256 KiB in about 0.1 ms. A call of WebCrypto takes 60 to 90 us more than that if its threads have to be woken, and
 * it copies its input and its result. Up to 2 MiB, that takes as long as what it saves: node:crypto decrypts such values 1.4 to 1.7 times as
 * fast and encrypts them 1.1 times as fast.
 */
export const platform: WebCryptoPlatform | undefined = {
  subtle: webcrypto.subtle,
  gcm: nodeAesGcm,
  ...(!isDeno && { chacha, ecdsa: () => import('../crypto-node/ecdsa.ts') }),
  shortGcmBytes: MAX_SHORT_BYTES,
  webCryptoGcmBytes: TWO_MIB_AND_OVERHEAD,
  importingGcmBytes: 0,
}

/** OpenSSL in FIPS mode and BoringSSL lack the cipher. */
function chacha(key: Uint8Array): NodeAeadKey | undefined {
  return getCipherInfo(CHACHA) ? new NodeAeadKey(CHACHA, key, MAX_SHORT_BYTES) : undefined
}
