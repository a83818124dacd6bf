/** The part of a DR takeover that concerns the performance set and the start of serving requests. */
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import { discardCachedState } from '../../../core/kernel/kernel-lifecycle.ts'
import { NOT_A_MEMBER } from '../../../core/log/role.ts'
import { isConsistent } from '../follow/read-records.ts'
import { newestEntry } from '../log/log-pages.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { type Epoch, lastOf, newOrigin, withEpoch } from '../state/history.ts'
import { nextEpoch, type Relation, type ReplicaProgress, unbuiltTree } from '../state/records.ts'
import { DR, PERFORMANCE } from '../state/replication-kind.ts'
import { SetKeys } from '../state/set-keys.ts'
import type { TakeOverPlan } from './take-over-plan.ts'
import { withEpochProof } from './with-epoch-proof.ts'

const NOTHING: TakeOverPlan = { part: undefined, ops: [] }

/**
 * Plans to take over the performance role of the former DR primary. If the former DR primary was a performance primary, this cluster begins
 * an epoch right after its last record, so that secondaries with no more records continue without a comparison. If it was a performance
 * secondary, this cluster continues with the same credentials.
 *
 * @param address The address for secondaries; empty to keep the former primary's.
 */
export async function planTakeOver(
  { host, otherKind }: ReplicationContext,
  progress: ReplicaProgress,
  address: string,
): Promise<TakeOverPlan> {
  if (host.kind !== DR) return NOTHING
  const { store, env } = host
  const [found] = await store.getMany([PERFORMANCE.relationKey])
  if (!found) return { part: NOT_A_MEMBER, ops: [] }
  const relation = decodeRecord(PERFORMANCE.relation, found.value)
  const last = lastOf(relation.history)
  const index = progress.served?.index ?? last.start
  const entry = await newestEntry(store)
  if (relation.mode !== 'primary') {
    // The log of this cluster may contain records that a filter removed from the former secondary.
    const { value: before } = await PERFORMANCE.replicaProgress.read(store)
    const next: ReplicaProgress = { applied: index, differs: true, consistentFrom: null, lost: before?.lost ?? 0, removing: true }
    const ops = [
      PERFORMANCE.replicaProgress.put(store, next),
      PERFORMANCE.treeProgress.put(store, { ...unbuiltTree(entry), index }),
    ]
    return { part: { mode: 'secondary', epoch: 0, origin: '' }, ops }
  }
  const epoch = nextEpoch(relation)
  const origin = newOrigin(env.entropy)
  const isExact = isConsistent(progress) && progress.served !== undefined
  const begun = await epochWithOwnProof(otherKind, relation, {
    epoch,
    origin,
    start: index,
    ...(isExact ? {} : { rebase: true as const }),
  })
  const next: Relation = {
    ...relation,
    history: withEpoch(relation.history, begun),
    max_epoch: epoch,
    ...(address === '' ? {} : { primary_cluster_addr: address }),
  }
  const ops = [
    otherKind.membership.relationOp(next, found.version),
    PERFORMANCE.treeProgress.put(store, { ...unbuiltTree(entry), index: index + entry }),
  ]
  return { part: { mode: 'primary', epoch, origin }, ops }
}

/** The former primary can verify the epoch with its own key pair, of which this cluster has a copy. */
async function epochWithOwnProof({ host }: ReplicationContext, relation: Relation, epoch: Epoch): Promise<Epoch> {
  const keys = await SetKeys.load(host)
  if (!keys) return epoch
  try {
    return await withEpochProof(host, { relation, keys }, epoch)
  } finally {
    keys.wipe()
  }
}

/** Starts to serve requests from the data. @returns Warnings about what differs from the former primary. */
export async function startServing({ internals, otherKind }: ReplicationContext): Promise<readonly string[]> {
  await discardCachedState(internals)
  otherKind.membership.forget()
  await internals.audit.fresh()
  await otherKind.applyRole()
  return internals.audit.unopened.map((name) => `the audit device ${name}/ cannot be opened here: it takes no entries`)
}
