/**
 * Stores the root key at `i/core/root-key`, encrypted by the barrier, so that no process needs to keep the root key in memory. The record
 * contains the root key several times, encrypted with the barrier key of each of the newest terms. So a process that has any of these
 * barrier keys can read a key ring that another process has rotated, or has encrypted with a new root key.
 *
 * Stored form: the format byte 1, then one barrier record per term, the newest term first. The number of terms is small, because anyone who
 * has the key of one of these terms can decrypt the root key, and with it all later terms.
 */
import type { KeyRing } from '../barrier/key-ring.ts'
import { NONCE_BYTES, openRecord, RECORD_OVERHEAD, sealRecord, termOf } from '../barrier/record.ts'
import { toUtf8 } from '../base/bytes.ts'
import type { Entropy } from '../base/entropy.ts'

export const ROOT_KEY = 'i/core/root-key'
export const ROOT_KEY_BYTES = 32

const FORMAT = 1
const ENTRY_BYTES = ROOT_KEY_BYTES + RECORD_OVERHEAD
/**
 * The number of newest terms whose barrier keys encrypt the root key. A process that missed this many rotations cannot read the record; it
 * needs its seal to unseal the store again.
 */
const TERMS = 8
const AAD = /* @__PURE__ */ toUtf8(ROOT_KEY)

export function sealRootKey(ring: KeyRing, rootKey: Uint8Array, entropy: Entropy): Uint8Array {
  const terms = [...ring.terms.values()].sort((a, b) => b.term - a.term).slice(0, TERMS)
  const out = new Uint8Array(1 + terms.length * ENTRY_BYTES)
  out[0] = FORMAT
  for (const [index, { term, key }] of terms.entries())
    out.set(sealRecord(term, key, entropy.bytes(NONCE_BYTES), rootKey, AAD), 1 + index * ENTRY_BYTES)
  return out
}

/**
 * Decrypts a stored root key. Undefined if the ring has none of the terms, or if the record is damaged. The caller must wipe the result.
 */
export function openRootKey(ring: KeyRing, stored: Uint8Array): Uint8Array | undefined {
  if (stored[0] !== FORMAT || (stored.length - 1) % ENTRY_BYTES !== 0) return undefined
  for (let at = 1; at + ENTRY_BYTES <= stored.length; at += ENTRY_BYTES) {
    const record = stored.subarray(at, at + ENTRY_BYTES)
    const key = ring.terms.get(termOf(record) ?? 0)?.key
    const rootKey = key && openRecord(key, record, AAD)
    if (rootKey) return rootKey
  }
  return undefined
}
