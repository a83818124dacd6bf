/**
 * The key of a context (source: behaviour of the originals). Room: engines/transit/key-types.
 */
import type { CryptoBackend } from '../../../core/crypto/backend.ts'
import { counterKdf } from '../../../core/crypto/counter-kdf.ts'
import type { VersionKey } from '../material.ts'
import type { Derivation } from './key-type.ts'

const COUNTER_BYTES = 32

/** `length` bytes, which the caller wipes; fewer where the counter KDF has no more to give. */
export function deriveBytes(crypto: CryptoBackend, key: VersionKey, { kdf, context }: Derivation, length: number): Uint8Array {
  return key.lend((ikm) => {
    if (kdf === 1) return crypto.hkdf('sha2-256', ikm, undefined, context, length)
    const block = counterKdf(crypto, ikm, context)
    if (length >= COUNTER_BYTES) return block
    const part = block.slice(0, length)
    block.fill(0)
    return part
  })
}
