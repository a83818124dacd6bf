/** WebCrypto of Node, whose operations run on threads of its pool. */
import { webcrypto } from 'node:crypto'
import type { Platform } from '../../core/crypto/accelerated/subtle.ts'

/**
 * Measured on two cores: a call with a kept key takes 12 us on a quiet machine and 70 on a busy one, 27 with 16 of them under way, and
 * importing one 17; 1 KiB takes the noble module 20 to 34.
 */
export const platform: Platform | undefined = { subtle: webcrypto.subtle, shortGcmBytes: 1_023, importingGcmBytes: 8_192 }
