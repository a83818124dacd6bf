/**
 * Proofs of who began an epoch.
 *
 * A primary gives up its epoch only for one that it can verify. It was begun either with the primary's own key pair (by the primary itself,
 * or by a DR secondary that took over the key pair), or by a secondary, with the key that both can derive. A proof is an HMAC-SHA-256 of
 * the epoch under that key (HKDF, RFC 5869).
 */
import { toUtf8 } from '../../../core/base/bytes.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import type { CryptoBackend } from '../../../core/crypto/backend.ts'
import { equalBytes } from '../../../core/crypto/equal.ts'
import type { KeyPair } from '../channel/key-pair.ts'
import type { Epoch } from './history.ts'

const LABEL = 'strongroom replication epoch 1'

const KEY_BYTES = 32

/** The key for epochs that a cluster begins as a primary. The caller wipes it. */
export function ownEpochKey(crypto: CryptoBackend, identity: KeyPair): Uint8Array {
  const secret = identity.copySecretKey()
  try {
    return crypto.hkdf('sha2-256', secret, undefined, toUtf8(`${LABEL} own`), KEY_BYTES)
  } finally {
    secret.fill(0)
  }
}

/**
 * The key for epochs that a secondary begins, which its primary can derive as well. The caller wipes it.
 *
 * @param other The public key of the other cluster.
 * @returns Undefined if that key is invalid.
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

/** The set that an epoch belongs to. */
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

/** Whether an epoch has a valid proof under this key. */
export const isProven = (crypto: CryptoBackend, key: Uint8Array, scope: EpochScope, epoch: Epoch): boolean =>
  epoch.proof !== undefined && equalBytes(toUtf8(epochMac(crypto, key, scope, epoch)), toUtf8(epoch.proof.mac))
