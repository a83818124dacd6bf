/**
 * Creates and checks proofs that a certain cluster began an epoch.
 *
 * A primary steps down for a newer epoch only if it can verify the proof of that epoch. A proof is an HMAC-SHA-256 of the epoch. Its key is
 * derived with HKDF (RFC 5869). If the epoch was begun by the primary itself, or by a DR secondary that took over its key pair, the key is
 * derived from that key pair. If another secondary began the epoch, the key is derived from a secret that the primary and that secondary
 * share.
 */
import { toUtf8 } from '../../../core/base/bytes.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import type { CryptoBackend } from '../../../core/crypto/backend.ts'
import { equalBytes } from '../../../core/crypto/equal.ts'
import type { KeyPair } from '../channel/key-pair.ts'
import type { Epoch } from './history.ts'

const LABEL = 'strongroom replication epoch 1'

const KEY_BYTES = 32

/** Derives the key for proofs of epochs that a cluster begins while it is the primary. The caller must wipe the key. */
export function ownEpochKey(crypto: CryptoBackend, identity: KeyPair): Uint8Array {
  const secret = identity.copySecretKey()
  try {
    return crypto.hkdf('sha2-256', secret, undefined, toUtf8(`${LABEL} own`), KEY_BYTES)
  } finally {
    secret.fill(0)
  }
}

/**
 * Derives the key for proofs of epochs that a secondary begins. The secondary and its primary derive the same key. The caller must wipe the
 * key.
 *
 * @param other The public key of the other cluster.
 * @returns Undefined if the public key is invalid.
 */
export function sharedEpochKey(crypto: CryptoBackend, identity: KeyPair, other: Uint8Array): Uint8Array | undefined {
  const secret = identity.agree(other)
  if (!secret) return undefined
  try {
    return crypto.hkdf('sha2-256', secret, undefined, toUtf8(`${LABEL} shared`), KEY_BYTES)
  } finally {
    secret.fill(0)
  }
}

/** The set to which an epoch belongs. */
export interface EpochScope {
  readonly kind: string
  /** UUID. */
  readonly set: string
}

/** In hexadecimal. */
export function epochMac(
  crypto: CryptoBackend,
  key: Uint8Array,
  { kind, set }: EpochScope,
  { epoch, origin, start, rebase }: Epoch,
): string {
  const mac = crypto.hmac('sha2-256', key)
  try {
    return toHex(mac.mac(toUtf8(JSON.stringify([LABEL, kind, set, epoch, origin, start, rebase === true]))))
  } finally {
    mac.wipe()
  }
}

/** Whether the epoch has a proof that was made with this key. */
export const isProven = (crypto: CryptoBackend, key: Uint8Array, scope: EpochScope, epoch: Epoch): boolean =>
  epoch.proof !== undefined && equalBytes(toUtf8(epochMac(crypto, key, scope, epoch)), toUtf8(epoch.proof.mac))
