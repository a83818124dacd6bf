/**
 * A key ring with one term more than the stored one.
 */
import { appendTerm, KEY_BYTES } from '../barrier/key-ring.ts'
import type { Op } from '../storage/port.ts'
import { expand, type KeyParts, type KeyRecords, type OpenedRing, openKeys, putRing } from './key-records.ts'
import { SEAL_KEY } from './seal-record.ts'

export interface NextTerm {
  /** The new ring; the holder must end it. */
  readonly opened: OpenedRing
  /** The writes that store it, unless the keys were changed meanwhile. */
  readonly ops: readonly Op[]
}

/**
 * @param rootKey Is wiped.
 * @param from The expected active term; undefined is returned where it no longer is.
 */
export function nextTerm(
  parts: KeyParts,
  records: KeyRecords,
  rootKey: Uint8Array,
  from: number | undefined,
): NextTerm | undefined {
  const { crypto, entropy, now } = parts
  const old = openKeys(parts, records, rootKey)
  const fresh = entropy.bytes(KEY_BYTES)
  try {
    if (from !== undefined && old.ring.active.term !== from) return undefined
    const opened = expand(appendTerm(old.bytes, fresh, now()), crypto)
    const ops = putRing(parts, opened, rootKey, records.versions)
    return { opened, ops: [...ops, { op: 'check', key: SEAL_KEY, expect: records.versions.seal }] }
  } finally {
    for (const secret of [fresh, rootKey]) secret.fill(0)
    old.end()
  }
}
