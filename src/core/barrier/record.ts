/**
 * One encrypted value: uint32 term (big-endian), version byte 2, 12-byte nonce, AES-256-GCM ciphertext, 16-byte tag. The storage key is the
 * associated data, so a value that was moved to another key cannot be decrypted. The layout is version 2 of Vault's barrier records.
 */
import type { Steps } from '../base/steps.ts'
import type { AeadKey } from '../crypto/backend.ts'

const VERSION = 2

const HEADER_BYTES = 5

export const NONCE_BYTES = 12

export const RECORD_OVERHEAD = HEADER_BYTES + NONCE_BYTES + 16

export function sealRecord(term: number, key: AeadKey, nonce: Uint8Array, value: Uint8Array, aad: Uint8Array): Uint8Array {
  const out = createRecord(term, nonce, value)
  key.seal(nonce, value, aad, out, HEADER_BYTES + NONCE_BYTES)
  return out
}

/** Like {@link sealRecord}, for a long value: yields to the event loop. Throws a TypeError if the key is wiped during a yield. */
export function* sealRecordSteps(
  term: number,
  key: AeadKey,
  nonce: Uint8Array,
  value: Uint8Array,
  aad: Uint8Array,
): Steps<Uint8Array> {
  const out = createRecord(term, nonce, value)
  yield* key.sealSteps(nonce, value, aad, out, HEADER_BYTES + NONCE_BYTES)
  return out
}

/** Allocates a buffer with the term, version and nonce of a record, and space for the ciphertext. */
function createRecord(term: number, nonce: Uint8Array, value: Uint8Array): Uint8Array {
  const out = new Uint8Array(value.length + RECORD_OVERHEAD)
  for (let at = 0; at < 4; at++) out[at] = term >>> (24 - 8 * at)
  out[4] = VERSION
  out.set(nonce, HEADER_BYTES)
  return out
}

/** The record's term; undefined if the bytes are not a record. */
export function termOf(record: Uint8Array): number | undefined {
  if (record.length < RECORD_OVERHEAD || record[4] !== VERSION) return undefined
  return new DataView(record.buffer, record.byteOffset).getUint32(0)
}

/** The decrypted value; undefined if authentication fails. */
export const openRecord = (key: AeadKey, record: Uint8Array, aad: Uint8Array): Uint8Array | undefined =>
  key.open(record.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES), record.subarray(HEADER_BYTES + NONCE_BYTES), aad)

/** Like {@link openRecord}, for a long record. */
export const openRecordSteps = (key: AeadKey, record: Uint8Array, aad: Uint8Array): Steps<Uint8Array | undefined> =>
  key.openSteps(record.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES), record.subarray(HEADER_BYTES + NONCE_BYTES), aad)
