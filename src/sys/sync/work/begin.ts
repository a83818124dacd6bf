/** The first commit of a turn. */
import type { PreparedEffect } from '../../../core/contract/effect.ts'
import { INTENT, intentId } from '../../../core/contract/effect.ts'
import { CLAIM_TTL_MS } from '../../../core/contract/lane.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import type { Association } from '../records.ts'
import { putAssociation } from './associations.ts'
import { TURN_MS, type Turn } from './perform.ts'

/** The name in the keys of intents: `l/core/intent/sync/<association>`. */
export const EFFECT = { name: 'sync' } as const

/** Until when a turn may be in progress, in milliseconds; undefined if no turn is. */
export function claimedUntil(tx: Tx, id: string): number | undefined {
  const found = tx.get(INTENT, intentId(EFFECT, id))
  return found?.state === 'running' && tx.now < found.due ? found.due : undefined
}

/**
 * The association becomes due after the intent has expired. The intent exists on this cluster only; after a promotion, the due item makes
 * the new primary continue.
 * @param force Whether to push everything again.
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
