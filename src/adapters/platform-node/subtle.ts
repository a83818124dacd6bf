/** WebCrypto of Node, whose operations run on threads of its pool. */
import { webcrypto } from 'node:crypto'
import type { WebCryptoPlatform } from '../../core/crypto/accelerated/subtle.ts'

/**
 * Measured on two cores of several machines: a call with a kept key takes 12 us where the threads are awake and 60 to 90 where they have to
 * be woken, as for calls one at a time; importing a key takes 17, and each KiB takes the noble module 20 to 34.
 */
export const platform: WebCryptoPlatform | undefined = {
  subtle: webcrypto.subtle,
  shortGcmBytes: 3_071,
  importingGcmBytes: 8_192,
}
