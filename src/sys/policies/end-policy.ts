/** Deletes expired policies. Authorization ignores an expired policy even before this job has deleted it. */
import { OTHER_CLUSTER_LEASES } from '../../core/access/lease/other-clusters.ts'
import { POLICY, type PolicyRecord } from '../../core/access/policies.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'

/** The topic of the job. The id of the policy's record follows it. */
export const POLICY_JOB = 'policy'

/** How long a secondary waits for the primary to delete an expired policy, before it checks again. */
const RETRY_MS = 3_600_000

/**
 * Moves the due item of a policy, in the commit that writes or deletes its record.
 * @param id The id of the record.
 */
export const scheduleEnd = (tx: Tx, id: string, before: PolicyRecord | undefined, after: PolicyRecord | undefined): void =>
  tx.due('housekeeping', `${POLICY_JOB}/${id}`, { from: before?.ends, to: after?.ends })

/** Deletes a policy and its due item. */
export function dropPolicy(tx: Tx, id: string): void {
  scheduleEnd(tx, id, tx.get(POLICY, id), undefined)
  tx.delete(POLICY, id)
}

/** Runs the job. If the policy was written again after this item was stored, the item is outdated and has no effect. */
export function endPolicy(tx: Tx, id: string): void {
  const stored = tx.get(POLICY, id)
  if (stored?.ends === undefined) return
  // A clock that jumped ahead must not delete policies that are still in effect.
  if (!(stored.ends <= tx.now && Number.isFinite(tx.now))) tx.due('housekeeping', `${POLICY_JOB}/${id}`, { to: stored.ends })
  // The primary deletes the policy and replicates the deletion. After a promotion, this cluster deletes it.
  else if (OTHER_CLUSTER_LEASES.find(tx)?.follows()) tx.due('housekeeping', `${POLICY_JOB}/${id}`, { to: tx.now + RETRY_MS })
  else removeEnded(tx, id)
}

function removeEnded(tx: Tx, id: string): void {
  tx.delete(POLICY, id)
  const at = id.indexOf('/')
  const namespace = TOPOLOGY.of(tx).namespaces.byUuid(id.slice(0, at))
  // A deleted namespace has no path that the event could contain.
  if (namespace) tx.event('policy.deleted', { name: id.slice(at + 1) }, { namespace: namespace.path, mount: tx.call.mount.path })
}
