/**
 * Randomness as a port.
 */
import { randomBytes } from '@noble/hashes/utils.js'

/** Where keys, nonces, identifiers and jitter come from. */
export interface Entropy {
  /** `n` fresh random bytes. The array belongs to the caller and shares its buffer with nobody. */
  bytes(n: number): Uint8Array
}

/** One call of the system generator costs as much as half an encryption, so small draws come from a pool. */
const POOL_BYTES = 16_384
const LARGEST_POOLED = 256
/** What the system's generator gives per call. */
const MOST_AT_ONCE = 65_536

/**
 * The system's generator, behind a pool for small draws. What has been handed out is wiped from the pool at once, so that a
 * later look at the process' memory finds no nonce or key there.
 */
export function systemEntropy(): Entropy {
  let pool = new Uint8Array(0)
  let at = 0
  return {
    bytes(n) {
      if (n > MOST_AT_ONCE) return many(n)
      if (n > LARGEST_POOLED) return randomBytes(n)
      if (at + n > pool.length) {
        pool = randomBytes(POOL_BYTES)
        at = 0
      }
      const taken = pool.slice(at, at + n)
      pool.fill(0, at, at + n)
      at += n
      return taken
    },
  }
}

function many(n: number): Uint8Array {
  const bytes = new Uint8Array(n)
  for (let at = 0; at < n; at += MOST_AT_ONCE) bytes.set(randomBytes(Math.min(MOST_AT_ONCE, n - at)), at)
  return bytes
}
