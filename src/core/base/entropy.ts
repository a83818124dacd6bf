/**
 * Randomness as a port.
 */
import { randomBytes } from '@noble/hashes/utils.js'

/** The source of keys, nonces, identifiers and jitter. */
export interface Entropy {
  /** Set by {@link systemEntropy}: a primitive may then draw from the platform's own generator instead, as signatures of OpenSSL do. */
  readonly system?: true
  /** `n` fresh random bytes. The caller owns the array, and its buffer is not shared. */
  bytes(n: number): Uint8Array
}

/** One call of the system generator costs as much as half an encryption, so small draws come from a pool. */
const POOL_BYTES = 16_384
const LARGEST_POOLED = 256
/** The most bytes that the system's generator returns per call. */
const MOST_AT_ONCE = 65_536

/**
 * The system's generator, with a pool for small draws. Bytes that were handed out are wiped from the pool at once, so that a
 * later memory dump contains no nonce or key from it.
 */
export function systemEntropy(): Entropy {
  let pool = new Uint8Array(0)
  let at = 0
  return {
    system: true,
    bytes(n) {
      if (n > MOST_AT_ONCE) return many(n)
      if (n > LARGEST_POOLED) return randomBytes(n)
      if (at + n > pool.length) {
        pool = randomBytes(POOL_BYTES)
        at = 0
      }
      const taken = new Uint8Array(n)
      // A loop over so few bytes is quicker than `slice` and `fill`.
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
  for (let at = 0; at < n; at += MOST_AT_ONCE) bytes.set(randomBytes(Math.min(MOST_AT_ONCE, n - at)), at)
  return bytes
}
