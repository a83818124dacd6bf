/** Activation of a new secondary with a single-use token. */
import { isWrapping } from '../../../core/access/policies.ts'
import { tokenOfAccessor } from '../../../core/access/token/by-accessor.ts'
import { revokeStoredToken } from '../../../core/access/token/revoke.ts'
import { wrappingToken } from '../../../core/access/wrapping/wrapping-token.ts'
import { invalid } from '../../../core/base/errors.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { PUBLIC_KEY_BYTES } from '../channel/key-pair.ts'
import type { SetMember } from '../membership.ts'
import type { Forward } from '../state/records.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import { bytesMember, type Message, stringMember } from '../wire/message-members.ts'
import { plainHistory } from '../wire/read-messages.ts'
import { peerRecordId } from './peer-keys.ts'

const MAX_TOKEN_CHARACTERS = 2048

/** Returns the error for an unusable token. It does not reveal whether the token is unknown, used, expired, revoked, or of another type. */
export const invalidActivationToken = () => invalid('token: not a valid activation token, or already used or expired')

/**
 * Activates a secondary. The token stays usable until the secondary has sent its first hello, because the answer to the activation may be
 * lost. If the token is used again, the public key in the new request replaces the earlier key.
 */
export function activatePeer(
  tx: Tx,
  kind: ReplicationKind,
  request: Message,
): { readonly id: string; readonly forward: Forward } {
  const text = stringMember(request, 'token', MAX_TOKEN_CHARACTERS)
  const key = bytesMember(request, 'key', PUBLIC_KEY_BYTES)
  const found = activationToken(tx, text)
  const { meta } = found.token
  const peer = tx.get(kind.peer, peerRecordId(meta?.['id'] ?? ''))
  if (meta?.['purpose'] !== kind.purpose || !peer || peer.accessor !== found.token.accessor) throw invalidActivationToken()
  const isUsed = peer.key !== undefined && peer.until === undefined
  if (isUsed || key.length !== PUBLIC_KEY_BYTES) throw invalidActivationToken()
  tx.put(kind.peer, peerRecordId(peer.id), { ...peer, key: toHex(key), until: found.token.expires ?? tx.now })
  return { id: peer.id, forward: peer.forward }
}

/** Confirms a secondary after its first hello: its key no longer expires, and its token is revoked. */
export function confirmPeer(tx: Tx, kind: ReplicationKind, id: string): void {
  const peer = tx.get(kind.peer, peerRecordId(id))
  if (peer?.until === undefined) return
  const { until: _, ...settled } = peer
  tx.put(kind.peer, peerRecordId(id), settled)
  const token = peer.accessor === undefined ? undefined : tokenOfAccessor(tx, peer.accessor)
  if (token) revokeStoredToken(tx, token.id)
}

function activationToken(tx: Tx, text: string) {
  try {
    const found = wrappingToken(tx, text)
    if (isWrapping(found.token)) return found
  } catch (thrown) {
    // Replace every `KernelError` by the same refusal. Rethrow everything else: unexpected errors, and the values that a transaction throws
    // to request a rerun.
    if (!(thrown instanceof Error) || thrown.name !== 'KernelError') throw thrown
  }
  throw invalidActivationToken()
}

/** Returns the activation bundle for a new secondary. The caller must wipe the keys in it after encrypting it. */
export function bundleFor(
  { purpose }: ReplicationKind,
  { relation, keys }: SetMember,
  { id, forward }: { readonly id: string; readonly forward: Forward },
  addresses: readonly string[],
  self: { readonly address: string; readonly api: string },
): Message {
  return {
    purpose,
    set: relation.set,
    set_key: keys.set.slice(),
    key: keys.identity.publicKey.slice(),
    history: plainHistory(relation.history),
    id,
    forward,
    address: relation.primary_cluster_addr || self.address,
    addresses,
    api_address: self.api,
  }
}
