/**
 * Stored attempts and share backups.
 *
 * An attempt is encrypted by the barrier. A share backup consists of PGP messages that only the share holders can decrypt. It is stored in
 * clear text, because the share holders need it when the store cannot be unsealed any more.
 */
import { fromUtf8, toUtf8 } from '../../base/bytes.ts'
import { KernelError } from '../../base/errors.ts'
import { coreRecord } from '../../contract/core-record.ts'
import { decodeRecord, withFormat } from '../../contract/record-kind.ts'
import type { Op, Revision } from '../../storage/port.ts'
import { coreRecordKey } from '../../transaction/core-key.ts'
import type { Store } from '../../transaction/store.ts'
import type { EncodedShares } from '../pgp-recipients.ts'
import type { RekeyAttempt, RekeyKind } from './rekey-attempt.ts'
import type { TokenAttempt } from './token-attempt.ts'

/**
 * The stored attempts. An attempt to generate a root token and an attempt to generate an operation token are both stored as `token`, so
 * only one of them can run at a time.
 */
interface Attempts {
  readonly barrier: RekeyAttempt
  readonly recovery: RekeyAttempt
  readonly token: TokenAttempt
}
type AttemptSlot = keyof Attempts

const KIND = /* @__PURE__ */ coreRecord<Attempts[AttemptSlot]>({ class: 'i', folder: 'attempt' })

/** The storage key `i/core/attempt/<slot>`. */
export const attemptKey = (slot: AttemptSlot): string => coreRecordKey(KIND, slot)

/** An attempt, and the version at which it was read. The commit that changes the attempt requires this version. */
export interface StoredAttempt<T> {
  /** Undefined if no attempt is stored, or if the stored attempt has ended. */
  readonly attempt: T | undefined
  readonly version: Revision
}

/** Reads an attempt. @param era The attempt number in the seal record. A stored attempt with another number has ended. */
export async function readAttempt<S extends AttemptSlot>(
  store: Store,
  slot: S,
  era: number,
): Promise<StoredAttempt<Attempts[S]>> {
  const [opened] = await store.getMany([attemptKey(slot)])
  if (!opened) return { attempt: undefined, version: 0 }
  const attempt = decodeRecord(KIND, opened.value) as Attempts[S]
  return { attempt: attempt.era === era ? attempt : undefined, version: opened.version }
}

export const putAttempt = <S extends AttemptSlot>(store: Store, slot: S, attempt: Attempts[S], expect: Revision): Op =>
  store.encryptedPut(attemptKey(slot), withFormat(KIND.format, KIND.encode(attempt)), expect)

/**
 * Returns the storage operation that deletes the stored attempt. If no attempt was stored, the operation checks that none has been added
 * since.
 */
export const dropAttempt = (slot: AttemptSlot, expect: Revision): Op =>
  expect === 0 ? { op: 'check', key: attemptKey(slot), expect } : { op: 'del', key: attemptKey(slot), expect }

/** A backup of shares. `keys` contains the shares as PGP messages in hexadecimal, keyed by the fingerprint of the recipient's key. */
export interface ShareBackup {
  /** The nonce of the attempt that created the shares. */
  readonly nonce: string
  readonly keys: Readonly<Record<string, readonly string[]>>
}

const backupKey = (kind: RekeyKind): string => `i/core/share-backup/${kind}`

export function putBackup(kind: RekeyKind, { nonce, pgp_fingerprints }: RekeyAttempt, { keys }: EncodedShares): Op {
  const byFingerprint = new Map<string, string[]>()
  for (const [index, fingerprint] of (pgp_fingerprints ?? []).entries())
    byFingerprint.set(fingerprint, [...(byFingerprint.get(fingerprint) ?? []), keys[index] as string])
  const backup: ShareBackup = { nonce, keys: Object.fromEntries(byFingerprint) }
  return { op: 'put', key: backupKey(kind), value: toUtf8(JSON.stringify(backup)) }
}

export async function readShareBackup(store: Store, kind: RekeyKind): Promise<ShareBackup | undefined> {
  const [stored] = await store.storedValues([backupKey(kind)])
  if (!stored) return undefined
  try {
    return JSON.parse(fromUtf8(stored)) as ShareBackup
  } catch {
    throw new KernelError('ERR_INTERNAL', 'the stored backup of shares is damaged or was written by another program')
  }
}

export const dropBackup = (kind: RekeyKind): Op => ({ op: 'del', key: backupKey(kind) })
