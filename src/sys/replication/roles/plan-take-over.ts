/**
 * Two parts of the promotion of a DR secondary: it takes over the performance role of the former primary, and it begins to serve requests.
 */
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
 * Plans how this cluster takes over the performance role of the former DR primary.
 *
 * If the former DR primary was a performance primary, this cluster begins a performance epoch after the last record that it has.
 * Performance secondaries that have no later records can then continue without comparing trees. If the former DR primary was a performance
 * secondary, this cluster continues as that secondary, with the same credentials.
 *
 * @param address The address at which performance secondaries reach this cluster; empty to keep the address of the former primary.
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
    // Set `removing`: the log of this cluster may contain records that a path filter has since removed from the former performance
    // secondary.
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

/**
 * Adds a proof to the epoch, made with this cluster's copy of the former primary's key pair. The former primary can therefore verify the
 * proof.
 */
async function epochWithOwnProof({ host }: ReplicationContext, relation: Relation, epoch: Epoch): Promise<Epoch> {
  const keys = await SetKeys.load(host)
  if (!keys) return epoch
  try {
    return await withEpochProof(host, { relation, keys }, epoch)
  } finally {
    keys.wipe()
  }
}

/**
 * Starts to serve requests.
 *
 * @returns A warning for each audit device that cannot be opened on this cluster.
 */
export async function startServing({ internals, otherKind }: ReplicationContext): Promise<readonly string[]> {
  await discardCachedState(internals)
  otherKind.membership.forget()
  await internals.audit.fresh()
  await otherKind.applyRole()
  return internals.audit.unopened.map(
    (name) => `the audit device ${name}/ cannot be opened on this cluster, so it receives no entries`,
  )
}
