/**
 * What is due in the lane `sync`.
 */
import type { DueEffect, Prepared } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { itemOf, readItem, type Topic } from '../items.ts'
import { ASSOCIATION, type Association, readAssociationId } from '../records.ts'
import { putAssociation } from './associations.ts'
import { begin, takenUntil } from './begin.ts'
import { SYNC_EFFECT } from './effect.ts'
import { waitAfter } from './finish.ts'
import { endMount, endNamespace, fanOut, walkDestination } from './jobs.ts'
import { liveKeys } from './live.ts'
import { namingOf } from './naming.ts'
import type { Turn } from './perform.ts'
import { plannedRows } from './rows.ts'
import { Sessions } from './sessions.ts'
import { storeHere } from './wanted.ts'

const JOBS: Readonly<Record<Exclude<Topic, 'association'>, (tx: Tx, id: string) => void>> = {
  secret: fanOut,
  destination: walkDestination,
  mount: endMount,
  namespace: endNamespace,
}

export const DUE_SYNC: DueEffect<Turn, undefined> = {
  effect: SYNC_EFFECT,
  prepare(tx, item) {
    const found = readItem(item)
    if (!found) return undefined
    if (found.topic === 'association') return turnAt(tx, found.id)
    JOBS[found.topic](tx, found.id)
    return undefined
  },
}

/** How long a destination that asks to wait is left alone beyond that, in milliseconds: by attempts, as after a failure. */
const REST_ATTEMPTS = 5

function turnAt(tx: Tx, id: string): Prepared<Turn, undefined> | undefined {
  const association = tx.get(ASSOCIATION, id)
  if (association?.due === undefined) return undefined
  const later = (due: number): undefined => {
    putAssociation(tx, id, { ...association, due })
    // The entry that led here goes with this run.
    if (due === association.due) tx.due('sync', itemOf('association', id), { to: due })
  }
  // The clock was set back since it was found due.
  if (tx.now < association.due) return later(association.due)
  const taken = takenUntil(tx, id)
  if (taken !== undefined) return later(taken + 1)
  if (Sessions.of(tx.env).rests(readAssociationId(id).destination, tx.call.tick))
    return later(tx.now + waitAfter(Math.max(association.attempts, REST_ATTEMPTS), tx.env.entropy))
  const { planned, more } = withKeys(tx, id, association)
  return begin(tx, id, planned, more)
}

/** With a row for each key of what is live; a whole secret keeps the one it has. */
function withKeys(tx: Tx, id: string, association: Association): { readonly planned: Association; readonly more: boolean } {
  const name = readAssociationId(id)
  const store = storeHere(tx.env, name.destination)
  const { granularity, gone } = association
  if (gone || !store || granularity === 'secret-path') return { planned: association, more: false }
  const live = liveKeys(tx, name, granularity, store.rules)
  // What breaks a rule changes nothing of what is outside.
  if (live?.rule !== undefined) return { planned: association, more: false }
  const wish = { association: id, naming: namingOf(tx, id, association, store), keys: live?.keys ?? [], anew: false }
  const { rows, more } = plannedRows(tx, association.rows, wish)
  return { planned: { ...association, rows }, more }
}
