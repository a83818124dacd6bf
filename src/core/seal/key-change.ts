/**
 * Replaces keys: the writes of a change, in one commit.
 */
import type { ShareCounts } from '../crypto/shamir/shares.ts'
import type { Op } from '../storage/port.ts'
import { type KeyParts, type KeyRecords, openKeys, putRing, putShareKey, readShareKey } from './key-records.ts'
import { ROOT_KEY_BYTES } from './root-key.ts'
import type { SealRecord } from './seal-record.ts'
import { wrapByShares } from './wrapping.ts'

/** A key, and the shares it was split into. The keeper copies what it keeps. */
export interface SharedKey extends ShareCounts {
  readonly key: Uint8Array
}

/** What changes in one commit. */
export interface KeyChange {
  /** A new root key, without shares. A new share key brings one, too. */
  readonly rootKey?: true
  /** Under a manual seal: the new key that the shares give. */
  readonly shareKey?: SharedKey
  /** Under an automatic seal: the new key that the recovery shares give. */
  readonly recoveryKey?: SharedKey
}

/** What a change needs of the keeper. */
export interface Changing {
  readonly parts: KeyParts
  /** Wraps bytes by the automatic seal in force. */
  readonly wrap: (bytes: Uint8Array) => Promise<Uint8Array>
  /** The present root key; the caller wipes it. */
  readonly rootKey: (records: KeyRecords) => Promise<Uint8Array>
}

/** The seal record after the change, and the other writes. */
export async function changedKeys(
  { parts, wrap, rootKey: formerKey }: Changing,
  records: KeyRecords,
  change: KeyChange,
): Promise<{ readonly record: SealRecord; readonly ops: readonly Op[] }> {
  const recovery = change.recoveryKey && {
    shares: change.recoveryKey.secret_shares,
    threshold: change.recoveryKey.secret_threshold,
    wrapped: await wrap(change.recoveryKey.key),
  }
  const record = recovery ? { ...records.seal, recovery } : records.seal
  if (!change.rootKey && !change.shareKey) return { record, ops: [] }
  const rootKey = parts.entropy.bytes(ROOT_KEY_BYTES)
  const former = await formerKey(records)
  const opened = openKeys(parts, records, former)
  former.fill(0)
  try {
    const ops = putRing(parts, opened, rootKey, records.versions)
    if (records.seal.type !== 'shamir') return { record: { ...record, wrapped: await wrap(rootKey) }, ops }
    return {
      record: { ...record, ...(await sharedAnew(parts, rootKey, change.shareKey)) },
      ops: [...ops, ...(change.shareKey ? [putShareKey(parts, opened.ring, change.shareKey.key)] : [])],
    }
  } finally {
    rootKey.fill(0)
    opened.end()
  }
}

/** The root key wrapped by the share key: the new one, or the present one. */
async function sharedAnew(parts: KeyParts, rootKey: Uint8Array, shareKey: SharedKey | undefined): Promise<Partial<SealRecord>> {
  const { crypto, entropy } = parts
  const key = shareKey?.key ?? (await readShareKey(parts))
  const wrapped = wrapByShares(crypto, key, rootKey, entropy)
  if (shareKey) return { wrapped, shares: shareKey.secret_shares, threshold: shareKey.secret_threshold }
  key.fill(0)
  return { wrapped }
}
