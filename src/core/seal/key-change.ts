/**
 * Computes the storage operations that replace keys in one commit.
 */
import type { ShareCounts } from '../crypto/shamir/shares.ts'
import type { Op } from '../storage/port.ts'
import { type KeyParts, type KeyRecords, openKeys, putRing, putShareKey, readShareKey } from './key-records.ts'
import { ROOT_KEY_BYTES } from './root-key.ts'
import type { SealRecord } from './seal-record.ts'
import { wrapByShares } from './wrapping.ts'

/** A key, the number of its shares, and the number of shares that reconstruct it. The caller still owns the key and must wipe it. */
interface SharedKey extends ShareCounts {
  readonly key: Uint8Array
}

/** The keys that one commit replaces. */
export interface KeyChange {
  /** Replaces the root key without changing shares. Not needed together with `shareKey`, which always replaces the root key, too. */
  readonly rootKey?: true
  /** Under a manual seal: the new share key, which is the key that is reconstructed from the shares. */
  readonly shareKey?: SharedKey
  /** Under an automatic seal: the new recovery key. */
  readonly recoveryKey?: SharedKey
}

/** The parts and functions of the keeper that are needed to replace keys. */
export interface ChangeContext {
  readonly parts: KeyParts
  /** Wraps bytes with the current automatic seal. */
  readonly wrap: (bytes: Uint8Array) => Promise<Uint8Array>
  /** The current root key. The caller must wipe it. */
  readonly rootKey: (records: KeyRecords) => Promise<Uint8Array>
}

/** Returns the changed seal record, and the storage operations that must be committed together with it. */
export async function planKeyChange(
  { parts, wrap, rootKey: formerKey }: ChangeContext,
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
      record: { ...record, ...(await rewrapWithShares(parts, rootKey, change.shareKey)) },
      ops: [...ops, ...(change.shareKey ? [putShareKey(parts, opened.ring, change.shareKey.key)] : [])],
    }
  } finally {
    rootKey.fill(0)
    opened.end()
  }
}

/** Wraps the root key with the new share key. If `shareKey` is undefined, wraps it with the current share key. */
async function rewrapWithShares(
  parts: KeyParts,
  rootKey: Uint8Array,
  shareKey: SharedKey | undefined,
): Promise<Partial<SealRecord>> {
  const { crypto, entropy } = parts
  const key = shareKey?.key ?? (await readShareKey(parts))
  const wrapped = wrapByShares(crypto, key, rootKey, entropy)
  if (shareKey) return { wrapped, shares: shareKey.secret_shares, threshold: shareKey.secret_threshold }
  key.fill(0)
  return { wrapped }
}
