/** Decides which epochs of a secondary's history this cluster accepts. */

import type { SetMember } from '../membership.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { MAX_EPOCH_STEP } from '../state/bounds.ts'
import { isProven, ownEpochKey, sharedEpochKey } from '../state/epoch-proof.ts'
import type { Epoch, History } from '../state/history.ts'

/**
 * The maximum number of proofs that are checked per message. Each check computes a MAC. For the proof of an epoch that a secondary began,
 * it also computes a key agreement, which takes about a millisecond.
 */
const MAX_OWN_CHECKS = 16

const MAX_SHARED_CHECKS = 4

/**
 * Returns the highest epoch in the history that has a valid proof and that this cluster does not know yet; 0 without such an epoch.
 *
 * A proof of an epoch that the sender itself began is not accepted. Otherwise an attacker who controls one secondary could make the primary
 * step down. Another member that follows the new primary must send the proof.
 *
 * @param peer The id of the secondary that sent this history.
 */
export async function provenEpoch(context: ReplicationContext, peer: string, history: History): Promise<number> {
  const member = await context.membership.member()
  const { max_epoch, history: known } = member.relation
  const origins = new Set(known.map(({ origin }) => origin))
  const unknown = history.filter(
    ({ epoch, origin, proof }) =>
      proof !== undefined && epoch > max_epoch && epoch <= max_epoch + MAX_EPOCH_STEP && !origins.has(origin),
  )
  if (unknown.length === 0) return 0
  // Load the keys again, because the confirmation of a first hello may have changed the record of a secondary.
  await context.server.peers.load()
  const own = unknown.filter(({ proof }) => proof?.by === '').slice(-MAX_OWN_CHECKS)
  const shared = unknown.filter(({ proof }) => proof && proof.by !== '' && proof.by !== peer).slice(0, MAX_SHARED_CHECKS)
  const proven = [
    ...own.filter((one) => isOwnEpoch(context, member, one)),
    ...shared.filter((one) => isEpochOfSecondary(context, member, one)),
  ]
  return Math.max(0, ...proven.map(({ epoch }) => epoch))
}

const scopeOf = ({ host }: ReplicationContext, { relation }: SetMember) => ({ kind: host.kind.name, set: relation.set })

function isOwnEpoch(context: ReplicationContext, member: SetMember, epoch: Epoch): boolean {
  const { crypto } = context.host.env
  const key = ownEpochKey(crypto, member.keys.identity)
  try {
    return isProven(crypto, key, scopeOf(context, member), epoch)
  } finally {
    key.fill(0)
  }
}

/**
 * Checks the proof of an epoch that a secondary of this cluster began. Proofs of a revoked secondary are not accepted, because its key is
 * gone.
 */
function isEpochOfSecondary(context: ReplicationContext, member: SetMember, epoch: Epoch): boolean {
  const { crypto } = context.host.env
  const other = context.server.peers.keyOf(epoch.proof?.by ?? '')
  const key = other && sharedEpochKey(crypto, member.keys.identity, other)
  if (!key) return false
  try {
    return isProven(crypto, key, scopeOf(context, member), epoch)
  } finally {
    key.fill(0)
  }
}
