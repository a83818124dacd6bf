/** Deletes expired policies. Authorization ignores an expired policy even before this job has deleted it. */
import { OTHER_CLUSTER_LEASES } from '../../core/access/lease/other-clusters.ts'
import { POLICY, type PolicyRecord } from '../../core/access/policies.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { POLICY_JOB } from '../jobs.ts'

/** How long a secondary waits for the primary to delete an expired policy, before it checks again. */
const RETRY_MS = 3_600_000

/**
 * Schedules the deletion of a policy for the time at which it expires, and cancels the schedule of the replaced record. The call belongs in
 * the transaction that writes or deletes the policy.
 * @param id The id of the policy's record.
 */
export const scheduleEnd = (tx: Tx, id: string, before: PolicyRecord | undefined, after: PolicyRecord | undefined): void =>
  tx.due('housekeeping', `${POLICY_JOB}/${id}`, { from: before?.ends, to: after?.ends })

/** Deletes a policy, and cancels its scheduled deletion. */
export function dropPolicy(tx: Tx, id: string): void {
  scheduleEnd(tx, id, tx.get(POLICY, id), undefined)
  tx.delete(POLICY, id)
}

/** Deletes the policy if it has expired. Does nothing if the policy was rewritten without an expiration or deleted. */
export function endPolicy(tx: Tx, id: string): void {
  const stored = tx.get(POLICY, id)
  if (stored?.ends === undefined) return
  // The policy is still in effect: it was rewritten with a later expiration, or a clock that is ahead started this job too early. Wait.
  if (!(stored.ends <= tx.now && Number.isFinite(tx.now))) tx.due('housekeeping', `${POLICY_JOB}/${id}`, { to: stored.ends })
  // The primary deletes the policy and replicates the deletion. After a promotion, this cluster deletes it.
  else if (OTHER_CLUSTER_LEASES.find(tx)?.follows()) tx.due('housekeeping', `${POLICY_JOB}/${id}`, { to: tx.now + RETRY_MS })
  else removeEnded(tx, id)
}

function removeEnded(tx: Tx, id: string): void {
  tx.delete(POLICY, id)
  const at = id.indexOf('/')
  const namespace = TOPOLOGY.of(tx).namespaces.byUuid(id.slice(0, at))
  // The event contains the path of the namespace, so no event is sent if the namespace was deleted.
  if (namespace) tx.event('policy.deleted', { name: id.slice(at + 1) }, { namespace: namespace.path, mount: tx.call.mount.path })
}
