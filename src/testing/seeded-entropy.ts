import { chacha20 } from '@noble/ciphers/chacha.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Entropy } from '../core/base/entropy.ts'

const POOL_BYTES = 4096
const NONCE_BYTES = 12

/**
 * Returns an entropy source with predictable bytes. **For tests only. Never use it for a kernel with real secrets:** anyone who knows the
 * seed can compute every key, nonce and token of the kernel, and two kernels with the same seed use the same nonces under the same keys.
 *
 * The bytes are the ChaCha20 key stream (RFC 8439) whose key is the SHA-256 hash of the seed. They depend only on the seed and on the
 * number of bytes that were drawn before.
 */
export function seededEntropy(seed: string | number | Uint8Array): Entropy {
  const key = sha256(seed instanceof Uint8Array ? seed : new TextEncoder().encode(String(seed)))
  let pool = new Uint8Array(0)
  let at = 0
  let pools = 0

  const refill = (): void => {
    const nonce = new Uint8Array(NONCE_BYTES)
    new DataView(nonce.buffer).setUint32(0, pools++)
    pool = chacha20(key, nonce, new Uint8Array(POOL_BYTES))
    at = 0
  }

  return {
    bytes(n) {
      const bytes = new Uint8Array(n)
      for (let filled = 0; filled < n; ) {
        if (at === pool.length) refill()
        const part = pool.subarray(at, at + n - filled)
        bytes.set(part, filled)
        filled += part.length
        at += part.length
      }
      return bytes
    },
  }
}
