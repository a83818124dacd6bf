/**
 * What a store holds before anything else: the wrapped root key, the barrier's key ring, the mounts, the hash of the root token.
 * Room: core. Imported by the composition root.
 *
 * The stamp of the format (store-format.ts) and `i/core/seal`, which holds only what the seal wrapped, lie in the clear; `i/core/ring` is
 * sealed under the root key; all else is behind the barrier.
 */
import type { Barrier } from './barrier/barrier.ts'
import { firstRing, type KeyRing, readRing } from './barrier/key-ring.ts'
import { openRecord, sealRecord, termOf } from './barrier/record.ts'
import type { Seal } from './barrier/seal.ts'
import { fromUtf8, toUtf8 } from './bytes.ts'
import type { CryptoBackend } from './crypto/backend.ts'
import type { Entropy } from './entropy.ts'
import { KernelError } from './errors.ts'
import type { Op } from './storage/port.ts'
import { freshStamp } from './store-format.ts'
import type { Store } from './transaction/store.ts'

export const SEAL_KEY = 'i/core/seal'
export const RING_KEY = 'i/core/ring'

const ROOT_KEY_BYTES = 32
/** What the ring's record says; it is under the root key and has no term of its own. */
const RING_TERM = 1

interface SealRecord {
  readonly type: string
  /** Base64 of what the seal made of the root key. */
  readonly wrapped: string
}

export interface BootParts {
  readonly store: Store
  readonly barrier: Barrier
  readonly seal: Seal
  readonly crypto: CryptoBackend
  readonly entropy: Entropy
  readonly now: () => number
}

/** Whether the store has been initialised, by anybody. */
export async function isInitialized(store: Store): Promise<boolean> {
  const [seal] = await store.versions([SEAL_KEY])
  return seal !== 0
}

/**
 * Writes a new store in one commit, with the barrier open under its first key. `more` adds what the kernel puts beside it.
 * @returns false when somebody else initialised the store meanwhile; then nothing was written.
 */
export async function initialize(parts: BootParts, more: () => readonly Op[]): Promise<boolean> {
  const rootKey = parts.entropy.bytes(ROOT_KEY_BYTES)
  const barrierKey = parts.entropy.bytes(ROOT_KEY_BYTES)
  const ring = firstRing(barrierKey, parts.now())
  try {
    const wrapped = await parts.seal.wrap(rootKey)
    const record: SealRecord = { type: parts.seal.type, wrapped: Buffer.from(wrapped).toString('base64') }
    const root = parts.crypto.aead('aes-gcm', rootKey)
    const sealedRing = sealRecord(RING_TERM, root, parts.entropy.bytes(12), ring, toUtf8(RING_KEY))
    root.wipe()
    parts.barrier.unseal(readRing(ring, parts.crypto))
    const verdict = await parts.store.commit([
      freshStamp(),
      { op: 'put', key: SEAL_KEY, value: toUtf8(JSON.stringify(record)), expect: 0 },
      { op: 'put', key: RING_KEY, value: sealedRing, expect: 0 },
      ...more(),
    ])
    if (!verdict.ok) parts.barrier.seal()
    return verdict.ok
  } catch (error) {
    parts.barrier.seal()
    throw error
  } finally {
    for (const secret of [rootKey, barrierKey, ring]) secret.fill(0)
  }
}

/** Opens the barrier of an existing store. @throws KernelError when the seal cannot. */
export async function unseal(parts: BootParts): Promise<void> {
  const [seal, ring] = await parts.store.plain([SEAL_KEY, RING_KEY])
  if (!seal || !ring) throw new KernelError('ERR_NOT_INITIALIZED', 'the store is not initialized')
  const record = readSealRecord(seal)
  if (record.type !== parts.seal.type) {
    throw new KernelError('ERR_SEALED', `the store is sealed with a seal of type ${record.type}, not ${parts.seal.type}`)
  }
  const rootKey = await parts.seal.unwrap(Buffer.from(record.wrapped, 'base64'))
  parts.barrier.unseal(openRing(rootKey, ring, parts.crypto))
}

const DAMAGED = 'is damaged or was put there by somebody else'

function readSealRecord(stored: Uint8Array): SealRecord {
  try {
    const { type, wrapped } = JSON.parse(fromUtf8(stored)) as SealRecord
    if (typeof type === 'string' && typeof wrapped === 'string') return { type, wrapped }
  } catch {
    // Said below, without a word of what was read.
  }
  throw new KernelError('ERR_INTERNAL', `the stored seal record ${DAMAGED}`)
}

function openRing(rootKey: Uint8Array, sealedRing: Uint8Array, crypto: CryptoBackend): KeyRing {
  const root = crypto.aead('aes-gcm', rootKey)
  rootKey.fill(0)
  const ring = termOf(sealedRing) === RING_TERM ? openRecord(root, sealedRing, toUtf8(RING_KEY)) : undefined
  root.wipe()
  if (!ring) throw new KernelError('ERR_INTERNAL', `the stored key ring ${DAMAGED}`)
  try {
    return readRing(ring, crypto)
  } finally {
    ring.fill(0)
  }
}
