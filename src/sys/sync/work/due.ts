/**
 * Runs the background work that is scheduled in the queue `sync`: synchronizations of associations (turns), and jobs that only change
 * records.
 */
import type { DueEffect, PreparedEffect } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { itemOf, readItem, type Topic } from '../items.ts'
import { type Association, readAssociationId, SYNC_ASSOCIATION } from '../records.ts'
import { putAssociation } from './associations.ts'
import { beginTurn, claimedUntil } from './begin.ts'
import { storeIfConfigured } from './desired-state.ts'
import { SYNC_EFFECT } from './effect.ts'
import { backOffMs } from './finish.ts'
import { endMount, endNamespace, markAssociationsChanged, stepDestinationJob } from './jobs.ts'
import { liveKeys } from './live.ts'
import { nameInputsOf } from './name-inputs.ts'
import type { Turn } from './perform.ts'
import { plannedRows } from './rows.ts'
import { sessionsOf } from './sessions.ts'

const JOBS: Readonly<Record<Exclude<Topic, 'association'>, (tx: Tx, id: string) => void>> = {
  secret: markAssociationsChanged,
  destination: stepDestinationJob,
  mount: endMount,
  namespace: endNamespace,
}

export const DUE_SYNC: DueEffect<Turn, undefined> = {
  effect: SYNC_EFFECT,
  prepare(tx, item) {
    const found = readItem(item)
    if (!found) return undefined
    if (found.topic === 'association') return prepareTurn(tx, found.id)
    JOBS[found.topic](tx, found.id)
    return undefined
  },
}

/** The back-off delay of a paused destination is computed as if at least this number of attempts had failed. */
const MIN_REST_ATTEMPTS = 5

function prepareTurn(tx: Tx, id: string): PreparedEffect<Turn, undefined> | undefined {
  const association = tx.get(SYNC_ASSOCIATION, id)
  if (association?.due === undefined) return undefined
  const later = (due: number): undefined => {
    putAssociation(tx, id, { ...association, due })
    // The end of this transaction removes the scheduled work that started it. If the time is unchanged, schedule the work again.
    if (due === association.due) tx.due('sync', itemOf('association', id), { to: due })
  }
  // If the clock was set back after this work was started, wait for the scheduled time again.
  if (tx.now < association.due) return later(association.due)
  const taken = claimedUntil(tx, id)
  if (taken !== undefined) return later(taken + 1)
  if (sessionsOf(tx.env).isPaused(readAssociationId(id).destination, tx.call.tick))
    return later(tx.now + backOffMs(Math.max(association.attempts, MIN_REST_ATTEMPTS), tx.env.entropy))
  const { planned, more } = withRowsForKeys(tx, id, association)
  return beginTurn(tx, id, planned, more)
}

/**
 * Plans a row (the recorded state of one external secret) for each key of the secret's current version. Changes nothing if the secret is
 * pushed as a whole, because the operation `set` has then planned the only row.
 */
function withRowsForKeys(
  tx: Tx,
  id: string,
  association: Association,
): { readonly planned: Association; readonly more: boolean } {
  const name = readAssociationId(id)
  const store = storeIfConfigured(tx.env, name.destination)
  const { granularity, gone } = association
  if (gone || !store || granularity === 'secret-path') return { planned: association, more: false }
  const live = liveKeys(tx, name, granularity, store.rules)
  // The secret violates a rule, so this turn pushes nothing and keeps the rows of the last valid version.
  if (live?.rule !== undefined) return { planned: association, more: false }
  const request = { association: id, naming: nameInputsOf(tx, id, association, store), keys: live?.keys ?? [], renames: false }
  const { rows, more } = plannedRows(tx, association.rows, request)
  return { planned: { ...association, rows }, more }
}
