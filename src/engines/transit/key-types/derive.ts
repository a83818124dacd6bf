import { counterKdf } from '../../../core/crypto/counter-kdf.ts'
import { hkdfExpand } from '../../../core/crypto/hkdf-expand.ts'
import type { VersionKey } from '../material.ts'
import type { Derivation } from './key-type.ts'

const COUNTER_BYTES = 32
const USED_BYTES = 64
const BINDING_KEY_BYTES = 32

/** Derives `length` bytes for a context; the caller wipes them. The KDF in counter mode yields at most 32 bytes. */
export function deriveBytes(key: VersionKey, { kdf, context }: Derivation, length: number): Uint8Array {
  const mac = key.derivationMac(kdf)
  if (kdf === 1) return hkdfExpand(mac, context, length)
  const block = counterKdf(mac, context)
  if (length >= COUNTER_BYTES) return block
  const part = block.slice(0, length)
  block.fill(0)
  return part
}

/**
 * Derives 32 bytes that no other derivation uses; the caller wipes them. HKDF: bytes 64 to 95 of the output, since a cipher key and a nonce
 * key use at most the first 64. Counter mode: the second block.
 */
export function deriveBindingKey(key: VersionKey, { kdf, context }: Derivation): Uint8Array {
  const mac = key.derivationMac(kdf)
  if (kdf === 0) return counterKdf(mac, context, 1)
  const stream = hkdfExpand(mac, context, USED_BYTES + BINDING_KEY_BYTES)
  const binding = stream.slice(USED_BYTES)
  stream.fill(0)
  return binding
}
