/** The background work of the service. */
import type { Lane } from '../core/contract/lane.ts'
import type { DueWorker } from '../core/due/tick.ts'
import type { DueEntry } from '../core/transaction/due-entry.ts'
import type { Keyspace } from '../core/transaction/keyspace.ts'
import { AUTH_METHOD_JOB, clearMethod } from './acl/auth-methods/clear-method.ts'
import { deleteIfExpired } from './acl/tokens/expiry.ts'
import { APP_CALL, type ConfigCall, type ConfigTx } from './call.ts'
import { ENTRY_JOB, GATEWAY_JOB, RECONCILIATION } from './entries/reconciling/jobs.ts'
import { reconcileBound, reconcileEntry } from './entries/reconciling/reconcile.ts'

type Work = (tx: ConfigTx, id: string) => void

const DEFER_MS = 3_600_000

/**
 * Postpones unknown work. In a mixed deployment, an older release can find work that a newer release has scheduled, and leaves the work to
 * a process of the newer release.
 */
const deferred =
  (lane: Lane): Work =>
  (tx, id) =>
    tx.due(lane, id, { to: tx.now + DEFER_MS })

/** @param works Functions, keyed by the first segment of the id of the scheduled work. The function gets the rest of the id. */
const byTopic =
  (lane: Lane, works: Readonly<Record<string, Work>>): Work =>
  (tx, id) => {
    const [topic = '', ...about] = id.split('/')
    const work = Object.hasOwn(works, topic) ? works[topic] : undefined
    if (work) work(tx, about.join('/'))
    else deferred(lane)(tx, id)
  }

/**
 * The functions that run scheduled work, keyed by the lane: the named queue in which the work is scheduled. The id with which the work was
 * scheduled specifies what to do.
 */
const WORK: Readonly<Partial<Record<Lane, Work>>> = {
  housekeeping: byTopic('housekeeping', { [AUTH_METHOD_JOB]: clearMethod }),
  revocation: deleteIfExpired,
  reconciliation: byTopic(RECONCILIATION, { [ENTRY_JOB]: reconcileEntry, [GATEWAY_JOB]: reconcileBound }),
}

export function workerIn(place: Keyspace, { lane }: DueEntry): DueWorker<ConfigCall> {
  const work = WORK[lane] ?? deferred(lane)
  return {
    keyspace: place,
    call: { ...APP_CALL, tick: {} },
    run(tx, id) {
      work(tx, id)
      return undefined
    },
  }
}
