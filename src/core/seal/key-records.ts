/**
 * Reads and writes the three records that contain the keys of a store. Every change of these records is one commit. So after a crash, the
 * store can be unsealed with the keys from before the change or with the keys from after it.
 *
 * The shares or the automatic seal decrypt the root key in `i/core/seal`. The root key decrypts the barrier keys in `i/core/ring`. The
 * barrier keys decrypt everything else. In addition, the root key is stored encrypted by the barrier (root-key.ts), and so is the share key
 * of a manual seal (`i/core/share-key`). Therefore the ring and the root key can be replaced without shares.
 */
import type { Barrier } from '../barrier/barrier.ts'
import { type KeyRing, openRing, RING_KEY, readRing, sealRing, wipeRing } from '../barrier/key-ring.ts'
import { NONCE_BYTES, sealRecord } from '../barrier/record.ts'
import { toUtf8 } from '../base/bytes.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import type { CryptoBackend } from '../crypto/backend.ts'
import type { Op, Revision } from '../storage/port.ts'
import type { Store } from '../transaction/store.ts'
import { openRootKey, ROOT_KEY, sealRootKey } from './root-key.ts'
import { decodeSealRecord, encodeSealRecord, SEAL_KEY, type SealRecord } from './seal-record.ts'

/**
 * The storage key of the record that contains the share key, encrypted by the barrier. The share key is the key that is reconstructed from
 * the shares. The record exists only under a manual seal.
 */
export const SHARE_KEY = 'i/core/share-key'

export interface KeyParts {
  readonly store: Store
  readonly barrier: Barrier
  readonly crypto: CryptoBackend
  readonly entropy: Entropy
  readonly now: () => number
}

/** The seal record, the key ring and the root key, all read from the same revision of the store. */
export interface KeyRecords {
  readonly seal: SealRecord
  readonly ring: Uint8Array
  readonly rootKey: Uint8Array
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
      if (!ring || !rootKey) throw new KernelError('ERR_INTERNAL', 'the store lacks its key ring or its root key')
      const versions = { seal: seal.version, ring: ring.version, rootKey: rootKey.version }
      return { seal: decodeSealRecord(seal.value), ring: ring.value, rootKey: rootKey.value, versions }
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

/** A key ring: its stored form and the expanded keys. The holder must call `end`, which wipes both. */
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

/** @param bytes The stored form. The returned object owns the bytes, and its `end` wipes them. */
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

/** The writes that store the key ring encrypted with the root key, and the root key encrypted with the ring. */
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
  const value = sealRecord(active.term, active.key, entropy.bytes(NONCE_BYTES), stored, toUtf8(SHARE_KEY))
  stored.fill(0)
  return { op: 'put', key: SHARE_KEY, value }
}

/** Reads the key that the key shares were split from. The barrier must be open. The caller must wipe the result. */
export async function readShareKey({ store }: KeyParts): Promise<Uint8Array> {
  const [found] = await store.getMany([SHARE_KEY])
  if (found?.value[0] !== SHARE_KEY_FORMAT)
    throw new KernelError('ERR_INTERNAL', 'the store lacks its share key, or a newer release wrote the share key')
  const shareKey = found.value.slice(1)
  found.value.fill(0)
  return shareKey
}

/**
 * Decrypts the root key with a barrier key of this process. Returns undefined if the terms of all these keys are too old. The caller must
 * wipe the result.
 */
export const decryptRootKey = ({ barrier }: KeyParts, { rootKey }: KeyRecords): Uint8Array | undefined =>
  openRootKey(barrier.ring, rootKey)
