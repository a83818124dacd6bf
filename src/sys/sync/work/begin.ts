/** The first commit of a turn, which is one synchronization of one association. */
import type { PreparedEffect } from '../../../core/contract/effect.ts'
import { INTENT, intentId } from '../../../core/contract/effect.ts'
import { CLAIM_TTL_MS } from '../../../core/contract/lane.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import type { Association } from '../records.ts'
import { putAssociation } from './associations.ts'
import { TURN_MS, type Turn } from './perform.ts'

/**
 * The name of the effect. Each turn stores an intent, which records that the turn has begun, at `l/core/intent/sync/<association>`. The name
 * is a part of this storage key.
 */
export const EFFECT = { name: 'sync' } as const

/**
 * Returns the time in milliseconds until which a synchronization of the association may be in progress; undefined if none is in progress.
 */
export function claimedUntil(tx: Tx, id: string): number | undefined {
  const found = tx.get(INTENT, intentId(EFFECT, id))
  return found?.state === 'running' && tx.now < found.due ? found.due : undefined
}

/**
 * Writes the association and the intent of a new turn. Also schedules the turn again, for the time after the intent has expired: performance
 * secondaries receive the association but not the intent, so a secondary that is promoted during the turn must run the turn again.
 * @param more Whether some keys of the secret have no entry in `association.rows` yet.
 * @param force Whether to push all values again, regardless of the recorded external state.
 */
export function beginTurn(
  tx: Tx,
  id: string,
  association: Association,
  more: boolean,
  force = false,
): PreparedEffect<Turn, undefined> {
  const { begun, force: doubtful, epoch, ...rest } = association
  const all = force || begun === true || doubtful === true
  const due = tx.now + CLAIM_TTL_MS + Math.max(TURN_MS, tx.env.deadline.ms) + 1000
  putAssociation(tx, id, { ...rest, epoch: all ? epoch + 1 : epoch, begun: true, due })
  return { id, intent: { id, force: all, more }, transient: undefined, onExistingIntent: 'replace' }
}
