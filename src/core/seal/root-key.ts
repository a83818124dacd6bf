/**
 * The root key as a record encrypted by the barrier, at `i/core/root-key`. It is encrypted with each of the newest terms, so that a process
 * that has one of them can read a key ring that another process rotated or encrypted with another root key.
 *
 * So no process keeps the root key in memory. Stored form: format byte 1, then one barrier record per term, the newest first. The key of
 * any of these terms also gives access to the next ring, so their number is small.
 */
import type { KeyRing } from '../barrier/key-ring.ts'
import { openRecord, RECORD_OVERHEAD, sealRecord, termOf } from '../barrier/record.ts'
import { toUtf8 } from '../base/bytes.ts'
import type { Entropy } from '../base/entropy.ts'

export const ROOT_KEY = 'i/core/root-key'
export const ROOT_KEY_BYTES = 32

const FORMAT = 1
const ENTRY_BYTES = ROOT_KEY_BYTES + RECORD_OVERHEAD
/** A process that missed more rotations than this needs its seal again. */
const TERMS = 8
const AAD = /* @__PURE__ */ toUtf8(ROOT_KEY)

export function sealRootKey(ring: KeyRing, rootKey: Uint8Array, entropy: Entropy): Uint8Array {
  const terms = [...ring.terms.values()].sort((a, b) => b.term - a.term).slice(0, TERMS)
  const out = new Uint8Array(1 + terms.length * ENTRY_BYTES)
  out[0] = FORMAT
  for (const [index, { term, key }] of terms.entries())
    out.set(sealRecord(term, key, entropy.bytes(12), rootKey, AAD), 1 + index * ENTRY_BYTES)
  return out
}

/** Undefined if none of the ring's terms decrypts it, or if it is damaged. The caller wipes the result. */
export function openRootKey(ring: KeyRing, stored: Uint8Array | undefined): Uint8Array | undefined {
  if (stored?.[0] !== FORMAT || (stored.length - 1) % ENTRY_BYTES !== 0) return undefined
  for (let at = 1; at + ENTRY_BYTES <= stored.length; at += ENTRY_BYTES) {
    const record = stored.subarray(at, at + ENTRY_BYTES)
    const key = ring.terms.get(termOf(record) ?? 0)?.key
    const rootKey = key && openRecord(key, record, AAD)
    if (rootKey) return rootKey
  }
  return undefined
}
