/**
 * The three records with the keys of a store. They change only together, in one commit, so after a crash the store opens either as before
 * or as after the change.
 *
 * shares or automatic seal -> `i/core/seal`: root key -> `i/core/ring`: barrier keys -> everything else. The root key is also stored
 * encrypted by the barrier (root-key.ts), and under a manual seal so is the share key, at `i/core/share-key`. So both can be replaced
 * without shares.
 */
import type { Barrier } from '../barrier/barrier.ts'
import { type KeyRing, openRing, RING_KEY, readRing, sealRing, wipeRing } from '../barrier/key-ring.ts'
import { sealRecord } from '../barrier/record.ts'
import { toUtf8 } from '../base/bytes.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import type { CryptoBackend } from '../crypto/backend.ts'
import type { Op, Revision } from '../storage/port.ts'
import type { Store } from '../transaction/store.ts'
import { openRootKey, ROOT_KEY, sealRootKey } from './root-key.ts'
import { decodeSealRecord, encodeSealRecord, SEAL_KEY, type SealRecord } from './seal-record.ts'

/** Under a manual seal: the key that the shares result in, encrypted by the barrier. */
export const SHARE_KEY = 'i/core/share-key'

export interface KeyParts {
  readonly store: Store
  readonly barrier: Barrier
  readonly crypto: CryptoBackend
  readonly entropy: Entropy
  readonly now: () => number
}

/** The three records as of one moment. */
export interface KeyRecords {
  readonly seal: SealRecord
  readonly ring: Uint8Array
  /** Absent in stores of an older release. */
  readonly rootKey: Uint8Array | undefined
  readonly versions: Readonly<Record<'seal' | 'ring' | 'rootKey', Revision>>
}

const KEYS = [SEAL_KEY, RING_KEY, ROOT_KEY]
const MAX_TRIES = 20

/** Undefined if the store is not initialized. */
export async function readKeyRecords(store: Store): Promise<KeyRecords | undefined> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const [seal, ring, rootKey] = await store.entries(KEYS)
    if (!seal) return undefined
    const [sealNow, ringNow, rootKeyNow] = await store.versions(KEYS)
    if (seal.version === sealNow && (ring?.version ?? 0) === ringNow && (rootKey?.version ?? 0) === rootKeyNow) {
      if (!ring) throw new KernelError('ERR_INTERNAL', 'the store lacks its key ring')
      const versions = { seal: seal.version, ring: ring.version, rootKey: rootKeyNow }
      return { seal: decodeSealRecord(seal.value), ring: ring.value, rootKey: rootKey?.value, versions }
    }
    await store.backOff(tries)
  }
  throw new KernelError('ERR_UNAVAILABLE', 'the keys of the store keep changing; try again')
}

export const putSeal = (record: SealRecord, expect: Revision): Op => ({
  op: 'put',
  key: SEAL_KEY,
  value: encodeSealRecord(record),
  expect,
})

/** The key ring, stored form and expanded keys. Its holder must call `end`. */
export interface OpenedRing {
  readonly bytes: Uint8Array
  readonly ring: KeyRing
  end(): void
}

/** @throws KernelError ERR_INTERNAL if the root key does not decrypt the ring. */
export function openKeys({ crypto }: KeyParts, { ring: sealed }: KeyRecords, rootKey: Uint8Array): OpenedRing {
  const bytes = openRing(sealed, rootKey, crypto)
  if (!bytes) throw new KernelError('ERR_INTERNAL', 'the stored key ring is damaged or was written by another program')
  return expandRing(bytes, crypto)
}

/** @param bytes Owned by the ring from now on, and wiped with it. */
export function expandRing(bytes: Uint8Array, crypto: CryptoBackend): OpenedRing {
  const ring = readRing(bytes, crypto)
  return {
    bytes,
    ring,
    end() {
      bytes.fill(0)
      wipeRing(ring)
    },
  }
}

/** The ops that store the ring and the root key, each encrypted with the other. */
export function putRing(
  { crypto, entropy }: KeyParts,
  { bytes, ring }: OpenedRing,
  rootKey: Uint8Array,
  expect: { readonly ring: Revision; readonly rootKey: Revision },
): Op[] {
  return [
    { op: 'put', key: RING_KEY, value: sealRing(bytes, rootKey, crypto, entropy), expect: expect.ring },
    { op: 'put', key: ROOT_KEY, value: sealRootKey(ring, rootKey, entropy), expect: expect.rootKey },
  ]
}

const SHARE_KEY_FORMAT = 1

export function putShareKey({ entropy }: KeyParts, { active }: KeyRing, shareKey: Uint8Array): Op {
  const stored = new Uint8Array(1 + shareKey.length)
  stored[0] = SHARE_KEY_FORMAT
  stored.set(shareKey, 1)
  const value = sealRecord(active.term, active.key, entropy.bytes(12), stored, toUtf8(SHARE_KEY))
  stored.fill(0)
  return { op: 'put', key: SHARE_KEY, value }
}

/** Requires an open barrier. The caller wipes the result. */
export async function readShareKey({ store }: KeyParts): Promise<Uint8Array> {
  const [found] = await store.getMany([SHARE_KEY])
  if (found?.value[0] !== SHARE_KEY_FORMAT)
    throw new KernelError('ERR_INTERNAL', 'the store lacks its share key, or a newer release wrote it')
  const shareKey = found.value.slice(1)
  found.value.fill(0)
  return shareKey
}

/** The root key, decrypted with a term that this process has; undefined if its terms are too old. The caller wipes it. */
export const decryptRootKey = ({ barrier }: KeyParts, { rootKey }: KeyRecords): Uint8Array | undefined =>
  openRootKey(barrier.ring, rootKey)
