/**
 * Prepares the storage operations that add a term to the stored key ring.
 */
import { appendTerm, KEY_BYTES } from '../barrier/key-ring.ts'
import type { Op } from '../storage/port.ts'
import { expandRing, type KeyParts, type KeyRecords, type OpenedRing, openKeys, putRing } from './key-records.ts'
import { SEAL_KEY } from './seal-record.ts'

interface NextTerm {
  /** The ring with the new term. The holder must call `end`. */
  readonly opened: OpenedRing
  /** The operations that store the ring. They fail if the keys have been changed meanwhile. */
  readonly ops: readonly Op[]
}

/**
 * @param rootKey The current root key. This function wipes it.
 * @param from The term that the caller wants to replace. If it is given and is no longer the active term, the function returns undefined.
 */
export function nextTerm(
  parts: KeyParts,
  records: KeyRecords,
  rootKey: Uint8Array,
  from: number | undefined,
): NextTerm | undefined {
  const { crypto, entropy, now } = parts
  const old = openKeys(parts, records, rootKey)
  const newKey = entropy.bytes(KEY_BYTES)
  try {
    if (from !== undefined && old.ring.active.term !== from) return undefined
    const opened = expandRing(appendTerm(old.bytes, newKey, now()), crypto)
    const ops = putRing(parts, opened, rootKey, records.versions)
    return { opened, ops: [...ops, { op: 'check', key: SEAL_KEY, expect: records.versions.seal }] }
  } finally {
    for (const secret of [newKey, rootKey]) secret.fill(0)
    old.end()
  }
}
