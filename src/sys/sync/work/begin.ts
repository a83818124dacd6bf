/** The first commit of a turn. */
import type { PreparedEffect } from '../../../core/contract/effect.ts'
import { INTENT, intentId } from '../../../core/contract/effect.ts'
import { CLAIM_TTL_MS } from '../../../core/contract/lane.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import type { Association } from '../records.ts'
import { putAssociation } from './associations.ts'
import { TURN_MS, type Turn } from './perform.ts'

/** The name of the effect, which is a part of the keys of its intents: `l/core/intent/sync/<association>`. */
export const EFFECT = { name: 'sync' } as const

/** Returns the time in milliseconds until which a turn may be in progress; undefined if no turn is in progress. */
export function claimedUntil(tx: Tx, id: string): number | undefined {
  const found = tx.get(INTENT, intentId(EFFECT, id))
  return found?.state === 'running' && tx.now < found.due ? found.due : undefined
}

/**
 * Writes the association and the intent of a new turn. The intent is not replicated. So the association also gets a due item for the time
 * after the intent has expired: it makes a cluster that was promoted during the turn run the turn again.
 * @param more Whether some keys have no row yet.
 * @param force Whether to push everything again, regardless of the recorded external state.
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
