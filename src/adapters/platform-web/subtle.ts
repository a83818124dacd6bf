/** WebCrypto of platforms other than Node; undefined in browser pages without a secure context. */
import type { Subtle, WebCryptoPlatform } from '../../core/crypto/accelerated/subtle.ts'

const subtle: Subtle | undefined = globalThis.crypto?.subtle

/** The length up to which noble is faster than WebCrypto. */
const NOBLE_BYTES = 2_047

export const platform: WebCryptoPlatform | undefined = subtle && {
  subtle,
  shortGcmBytes: NOBLE_BYTES,
  webCryptoGcmBytes: NOBLE_BYTES,
  importingGcmBytes: 16_384,
}
