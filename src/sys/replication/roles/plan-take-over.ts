/**
 * What a cluster takes over with the role of its primary for disaster recovery: the part among the clusters that serve, and serving itself.
 */
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import { discardCachedState } from '../../../core/kernel/kernel-lifecycle.ts'
import { NO_PART } from '../../../core/log/role.ts'
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
 * The part that the primary had: as a primary with an epoch of its own behind the last record that is here, so that secondaries which have no
 * more than that go on where they are; as a secondary with the same credentials.
 * @param address Where secondaries reach this cluster; empty: as the primary said.
 */
export async function planTakeOver(
  { host, otherKind }: ReplicationContext,
  following: ReplicaProgress,
  address: string,
): Promise<TakeOverPlan> {
  if (host.kind !== DR) return NOTHING
  const { store, env } = host
  const [found] = await store.getMany([PERFORMANCE.relationKey])
  if (!found) return { part: NO_PART, ops: [] }
  const relation = decodeRecord(PERFORMANCE.relation, found.value)
  const last = lastOf(relation.history)
  const index = following.served?.index ?? last.start
  const entry = await newestEntry(store)
  if (relation.mode !== 'primary') {
    // The log here may have what a filter took away from the former secondary.
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
  const isExact = isConsistent(following) && following.served !== undefined
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

/** The former primary knows the epoch by its own key pair, which this cluster holds as well. */
async function epochWithOwnProof({ host }: ReplicationContext, relation: Relation, epoch: Epoch): Promise<Epoch> {
  const keys = await SetKeys.load(host)
  if (!keys) return epoch
  try {
    return await withEpochProof(host, { relation, keys }, epoch)
  } finally {
    keys.wipe()
  }
}

/** Everything that is held is in force. @returns What is not as it was, in sentences. */
export async function startServing({ internals, otherKind }: ReplicationContext): Promise<readonly string[]> {
  await discardCachedState(internals)
  otherKind.membership.forget()
  await internals.audit.fresh()
  await otherKind.applyRole()
  return internals.audit.unopened.map((name) => `the audit device ${name}/ cannot be opened here: it takes no entries`)
}
