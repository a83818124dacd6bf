/**
 * Randomness as a port.
 */
import { randomBytes } from '@noble/hashes/utils.js'

/** The source of keys, nonces, identifiers and jitter. */
export interface Entropy {
  /**
   * Set by {@link systemEntropy}. A cryptographic primitive may then use the platform's own generator instead, as OpenSSL does for
   * signatures.
   */
  readonly system?: true
  /** Returns `n` new random bytes. The caller owns the array, and the array's buffer is not shared. */
  bytes(n: number): Uint8Array
}

/**
 * The size of the pool for small requests. The system's generator is called once per pool instead of once per request, because a call costs
 * half as much as an encryption.
 */
const POOL_BYTES = 16_384
const MAX_POOLED_BYTES = 256
/** Maximum number of bytes per call of the system generator. */
const MAX_BYTES_PER_CALL = 65_536

/**
 * The system's random generator, with a pool for small requests. Bytes are wiped from the pool when a request receives them, so a later
 * memory dump of the pool contains no nonce or key that is in use.
 */
export function systemEntropy(): Entropy {
  let pool = new Uint8Array(0)
  let at = 0
  return {
    system: true,
    bytes(n) {
      if (n > MAX_BYTES_PER_CALL) return many(n)
      if (n > MAX_POOLED_BYTES) return randomBytes(n)
      if (at + n > pool.length) {
        pool = randomBytes(POOL_BYTES)
        at = 0
      }
      const taken = new Uint8Array(n)
      // For so few bytes, a loop is faster than `slice` and `fill`.
      for (let i = 0; i < n; i++, at++) {
        taken[i] = pool[at] as number
        pool[at] = 0
      }
      return taken
    },
  }
}

function many(n: number): Uint8Array {
  const bytes = new Uint8Array(n)
  for (let at = 0; at < n; at += MAX_BYTES_PER_CALL) bytes.set(randomBytes(Math.min(MAX_BYTES_PER_CALL, n - at)), at)
  return bytes
}
