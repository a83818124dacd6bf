/**
 * The barrier's keys, one per term.
 *
 * Stored form: format byte 1, then for each term: uint32 term, float64 install time (ms), 32 key bytes. The ring is encrypted as a barrier
 * record with the root key, never with its own keys.
 */
import { toUtf8 } from '../base/bytes.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import type { AeadKey, CryptoBackend } from '../crypto/backend.ts'
import { NONCE_BYTES, openRecord, sealRecord, termOf } from './record.ts'

export const RING_KEY = 'i/core/ring'

const FORMAT = 1
export const KEY_BYTES = 32
const TERM_BYTES = 4 + 8 + KEY_BYTES

export interface RingTerm {
  readonly term: number
  /** When the key was added to the ring, in milliseconds since the epoch. */
  readonly installed: number
  readonly key: AeadKey
}

export interface KeyRing {
  readonly active: RingTerm
  readonly terms: ReadonlyMap<number, RingTerm>
}

/** The stored form of a ring that has only term 1. The caller must wipe `key` and the result. */
export function encodeFirstRing(key: Uint8Array, now: number): Uint8Array {
  const out = new Uint8Array(1 + TERM_BYTES)
  const view = new DataView(out.buffer)
  out[0] = FORMAT
  view.setUint32(1, 1)
  view.setFloat64(5, now)
  out.set(key, 13)
  return out
}

/** The stored form of a ring with one more term, which becomes the active term. The caller must wipe the arguments and the result. */
export function appendTerm(stored: Uint8Array, key: Uint8Array, now: number): Uint8Array {
  const out = new Uint8Array(stored.length + TERM_BYTES)
  out.set(stored)
  const view = new DataView(out.buffer)
  const last = view.getUint32(stored.length - TERM_BYTES)
  view.setUint32(stored.length, last + 1)
  view.setFloat64(stored.length + 4, now)
  out.set(key, stored.length + 12)
  return out
}

/** The term in the ring's own record. The root key encrypts that record, so no barrier term applies to it. */
const RING_TERM = 1
const AAD = /* @__PURE__ */ toUtf8(RING_KEY)

/** The record to store at {@link RING_KEY}. The caller must wipe `ring` and `rootKey`. */
export function sealRing(ring: Uint8Array, rootKey: Uint8Array, crypto: CryptoBackend, entropy: Entropy): Uint8Array {
  const root = crypto.aead('aes-gcm', rootKey)
  const sealed = sealRecord(RING_TERM, root, entropy.bytes(NONCE_BYTES), ring, AAD)
  root.wipe()
  return sealed
}

/** Returns the ring's stored form, which the caller must wipe; undefined if the record cannot be decrypted with this root key. */
export function openRing(sealed: Uint8Array, rootKey: Uint8Array, crypto: CryptoBackend): Uint8Array | undefined {
  const root = crypto.aead('aes-gcm', rootKey)
  const ring = termOf(sealed) === RING_TERM ? openRecord(root, sealed, AAD) : undefined
  root.wipe()
  return ring
}

/** Parses a stored ring and prepares its keys for use. The caller must wipe `stored`. */
export function readRing(stored: Uint8Array, crypto: CryptoBackend): KeyRing {
  if (stored[0] !== FORMAT)
    throw new KernelError('ERR_INTERNAL', `the key ring has format ${stored[0]}; this release reads ${FORMAT}`)
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength)
  const terms = new Map<number, RingTerm>()
  let active: RingTerm | undefined
  for (let at = 1; at + TERM_BYTES <= stored.length; at += TERM_BYTES) {
    const key = crypto.aead('aes-gcm', stored.subarray(at + 12, at + TERM_BYTES))
    active = { term: view.getUint32(at), installed: view.getFloat64(at + 4), key }
    terms.set(active.term, active)
  }
  if (!active) throw new KernelError('ERR_INTERNAL', 'the stored key ring has no key')
  return { active, terms }
}

export function wipeRing(ring: KeyRing): void {
  for (const term of ring.terms.values()) term.key.wipe()
}
