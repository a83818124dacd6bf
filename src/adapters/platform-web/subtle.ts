/** WebCrypto of platforms other than Node; undefined in browser pages without a secure context. */
import type { Subtle, WebCryptoPlatform } from '../../core/crypto/accelerated/subtle.ts'

const subtle: Subtle | undefined = globalThis.crypto?.subtle

export const platform: WebCryptoPlatform | undefined = subtle && { subtle, shortGcmBytes: 2_047, importingGcmBytes: 16_384 }
