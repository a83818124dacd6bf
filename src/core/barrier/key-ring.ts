/**
 * The barrier's keys, one per term. Room: core/barrier. Imported by barrier.ts and start-up only.
 *
 * Stored form: format 1, then per term: uint32 term, float64 install time (ms), 32 key bytes. It is sealed as a barrier record
 * under the root key, never under itself.
 */
import type { AeadKey, CryptoBackend } from '../crypto/backend.ts'
import { KernelError } from '../errors.ts'

const FORMAT = 1
const KEY_BYTES = 32
const TERM_BYTES = 4 + 8 + KEY_BYTES

export interface Term {
  readonly term: number
  /** Milliseconds since the epoch. */
  readonly installed: number
  readonly key: AeadKey
}

export interface KeyRing {
  readonly active: Term
  readonly terms: ReadonlyMap<number, Term>
}

/** The stored bytes of a ring that holds nothing but term 1. The caller wipes `key` and the result. */
export function firstRing(key: Uint8Array, now: number): Uint8Array {
  const out = new Uint8Array(1 + TERM_BYTES)
  const view = new DataView(out.buffer)
  out[0] = FORMAT
  view.setUint32(1, 1)
  view.setFloat64(5, now)
  out.set(key, 13)
  return out
}

/** Expands the keys of a stored ring; the caller wipes `stored`. */
export function readRing(stored: Uint8Array, crypto: CryptoBackend): KeyRing {
  if (stored[0] !== FORMAT)
    throw new KernelError('ERR_INTERNAL', `the key ring has format ${stored[0]}; this release reads ${FORMAT}`)
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength)
  const terms = new Map<number, Term>()
  let active: Term | undefined
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
