/** WebCrypto of Node, whose operations run on pool threads, and AES-GCM and ECDSA of node:crypto. */
import { webcrypto } from 'node:crypto'
import type { WebCryptoPlatform } from '../../core/crypto/accelerated/subtle.ts'
import { nodeAesGcm } from '../crypto-node/aead-key.ts'

/** A value of 1 MiB with its tag and its additional data. */
const MIB_AND_OVERHEAD = 1_048_576 + 4_096

/** The ECDSA of Deno's node:crypto is not used, because it takes longer than Deno's WebCrypto. */
const isDeno = 'deno' in process.versions

/**
 * node:crypto processes 256 KiB in about 0.1 ms. A call of WebCrypto takes 60 to 90 us more than that if its threads have to be woken, so
 * it is used only for messages that are long enough to be worth leaving the event loop.
 */
export const platform: WebCryptoPlatform | undefined = {
  subtle: webcrypto.subtle,
  gcm: nodeAesGcm,
  ...(!isDeno && { ecdsa: () => import('../crypto-node/ecdsa.ts') }),
  shortGcmBytes: 262_144,
  webCryptoGcmBytes: MIB_AND_OVERHEAD,
  importingGcmBytes: 0,
}
