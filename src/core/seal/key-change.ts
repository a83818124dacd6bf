/**
 * New keys in the place of old ones: what is to be written, in one commit.
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
  /** A new root key, which nobody sees. A new share key brings one, too. */
  readonly rootKey?: true
  /** Under a manual seal: what the shares give from now on. */
  readonly shareKey?: SharedKey
  /** Under an automatic seal: what recovery shares give from now on. */
  readonly recoveryKey?: SharedKey
}

/** What a change needs of the keeper. */
export interface Changing {
  readonly parts: KeyParts
  /** By the automatic seal that is in force. */
  readonly wrap: (bytes: Uint8Array) => Promise<Uint8Array>
  /** The present one; the caller wipes it. */
  readonly rootKey: (records: KeyRecords) => Promise<Uint8Array>
}

/** The seal record after the change, and what is written beside it. */
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

/** The root key as the shares wrap it: the new ones, or those that are. */
async function sharedAnew(parts: KeyParts, rootKey: Uint8Array, shareKey: SharedKey | undefined): Promise<Partial<SealRecord>> {
  const { crypto, entropy } = parts
  const key = shareKey?.key ?? (await readShareKey(parts))
  const wrapped = wrapByShares(crypto, key, rootKey, entropy)
  if (shareKey) return { wrapped, shares: shareKey.secret_shares, threshold: shareKey.secret_threshold }
  key.fill(0)
  return { wrapped }
}
