/** WebCrypto of Node, whose operations run on pool threads, and AES-GCM, ChaCha20-Poly1305, ECDSA and hash functions of node:crypto. */
import { getCipherInfo, getHashes, webcrypto } from 'node:crypto'
import type { PlatformHashes, WebCryptoPlatform } from '../../core/crypto/accelerated/subtle.ts'
import type { HashName } from '../../core/crypto/backend.ts'
import { OPENSSL_NAMES } from '../../core/crypto/openssl-names.ts'
import { NodeAeadKey, nodeAesGcm } from '../crypto-node/aead-key.ts'
import { NodeHmacKey, nodeHash } from '../crypto-node/hash.ts'

/** A value of 2 MiB with its tag and its additional data. */
const TWO_MIB_AND_OVERHEAD = 2_097_152 + 4_096

const CHACHA = 'chacha20-poly1305'

/** Longer messages are encrypted and decrypted in steps. */
const MAX_SHORT_BYTES = 262_144

/** The ECDSA of Deno's node:crypto is not used, because it takes longer than Deno's WebCrypto. It has no ChaCha20-Poly1305. */
const isDeno = 'deno' in process.versions

/**
 * A hash of node:crypto takes about 1 us plus 0.6 us per KiB, and that of noble 0.7 us plus 7 us per KiB (SHA-256). HMAC takes two hashes. In
 * Deno, a hash takes 3 us plus 0.6 us per KiB.
 */
const MAX_NOBLE_HASH_BYTES = isDeno ? 1_024 : 128

const hashes: PlatformHashes = {
  has: hasHash,
  hash: nodeHash,
  hmac: (hash, key) => new NodeHmacKey(hash, key),
  shortBytes: MAX_NOBLE_HASH_BYTES,
}

/**
 * node:crypto processes 256 KiB in about 0.1 ms. A call of WebCrypto takes 60 to 90 us more than that if its threads have to be woken, and
 * it copies its input and its result. Up to 2 MiB, that takes as long as what it saves: node:crypto decrypts such values 1.4 to 1.7 times as
 * fast and encrypts them 1.1 times as fast.
 */
export const platform: WebCryptoPlatform | undefined = {
  subtle: webcrypto.subtle,
  gcm: nodeAesGcm,
  hashes,
  ...(!isDeno && { chacha, ecdsa: () => import('../crypto-node/ecdsa.ts') }),
  shortGcmBytes: MAX_SHORT_BYTES,
  webCryptoGcmBytes: TWO_MIB_AND_OVERHEAD,
  importingGcmBytes: 0,
}

let available: ReadonlySet<string> | undefined

/** BoringSSL has no SHA-3 in some versions. */
function hasHash(name: HashName): boolean {
  available ??= new Set(getHashes())
  return available.has(OPENSSL_NAMES[name])
}

/** OpenSSL in FIPS mode and BoringSSL lack the cipher. */
function chacha(key: Uint8Array): NodeAeadKey | undefined {
  return getCipherInfo(CHACHA) ? new NodeAeadKey(CHACHA, key, MAX_SHORT_BYTES) : undefined
}
