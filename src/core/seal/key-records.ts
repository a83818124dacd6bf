/**
 * The three records that hold the keys of a store together, and what changes them: always in one commit, so that whatever happens the
 * store opens as before or as after.
 *
 * shares, or an automatic seal -> `i/core/seal`: root key -> `i/core/ring`: keys of the barrier -> everything else. The root key lies
 * behind the barrier, too (root-key.ts), and under a manual seal the key that the shares give, at `i/core/share-key`: so both can be
 * replaced without shares.
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

/** Under a manual seal: the key that the shares give. It lies behind the barrier. */
export const SHARE_KEY = 'i/core/share-key'

export interface KeyParts {
  readonly store: Store
  readonly barrier: Barrier
  readonly crypto: CryptoBackend
  readonly entropy: Entropy
  readonly now: () => number
}

/** All three records as they were at one moment. */
export interface KeyRecords {
  readonly seal: SealRecord
  readonly ring: Uint8Array
  /** Absent in stores made by an older release. */
  readonly rootKey: Uint8Array | undefined
  readonly versions: Readonly<Record<'seal' | 'ring' | 'rootKey', Revision>>
}

const KEYS = [SEAL_KEY, RING_KEY, ROOT_KEY]
const TRIES = 20

/** Undefined in a store that is not initialised. */
export async function readKeyRecords(store: Store): Promise<KeyRecords | undefined> {
  for (let tries = 1; tries <= TRIES; tries++) {
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

/** The ring in all its forms; the holder must end it. */
export interface OpenedRing {
  readonly bytes: Uint8Array
  readonly ring: KeyRing
  end(): void
}

/** @throws KernelError ERR_INTERNAL when the root key does not open it. */
export function openKeys({ crypto }: KeyParts, { ring: sealed }: KeyRecords, rootKey: Uint8Array): OpenedRing {
  const bytes = openRing(sealed, rootKey, crypto)
  if (!bytes) throw new KernelError('ERR_INTERNAL', 'the stored key ring is damaged or was put there by somebody else')
  return expand(bytes, crypto)
}

/** @param bytes Owned by the ring from now on: they are wiped with it. */
export function expand(bytes: Uint8Array, crypto: CryptoBackend): OpenedRing {
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

/** The writes of ring and root key, each sealed under the other. */
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

/** Needs an open barrier; the caller wipes the result. */
export async function readShareKey({ store }: KeyParts): Promise<Uint8Array> {
  const [found] = await store.getMany([SHARE_KEY])
  if (found?.value[0] !== SHARE_KEY_FORMAT)
    throw new KernelError('ERR_INTERNAL', 'the store lacks the key that its shares give, or it is of a newer release')
  const shareKey = found.value.slice(1)
  found.value.fill(0)
  return shareKey
}

/** The root key, opened by a term that this process has; undefined when its terms are too old. The caller wipes it. */
export const heldRootKey = ({ barrier }: KeyParts, { rootKey }: KeyRecords): Uint8Array | undefined =>
  openRootKey(barrier.ring, rootKey)
