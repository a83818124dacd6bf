/** WebCrypto of Node, whose operations run on pool threads. */
import { webcrypto } from 'node:crypto'
import type { WebCryptoPlatform } from '../../core/crypto/accelerated/subtle.ts'

/**
 * The lengths up to which noble is faster, measured on two cores of several machines. A call with an imported key takes 12 us if the
 * threads are awake, and 60 to 90 us if they have to be woken, as for calls one at a time. Importing a key takes 17 us, and noble takes 20
 * to 34 us per KiB.
 */
export const platform: WebCryptoPlatform | undefined = {
  subtle: webcrypto.subtle,
  shortGcmBytes: 3_071,
  importingGcmBytes: 8_192,
}
