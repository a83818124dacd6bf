/** Demotes a primary to a secondary that follows no primary. The cluster keeps its data. */
import { conflict, KernelError } from '../../../core/base/errors.ts'
import { discardCachedState } from '../../../core/kernel/kernel-lifecycle.ts'
import { newestEntry } from '../log/log-pages.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { performancePositions } from '../serve/performance-positions.ts'
import { lastOf } from '../state/history.ts'
import type { ReplicaProgress } from '../state/records.ts'
import { DR } from '../state/replication-kind.ts'

const MAX_TRIES = 20

/** @throws KernelError 400 unless the cluster is a primary. */
export async function demotePrimary(context: ReplicationContext): Promise<void> {
  await context.host.store.commits.loadRole()
  if (context.membership.mode !== 'primary') throw conflict('the cluster is not a primary')
  // Check the role again: another kernel may have demoted the cluster since the check above.
  if (!(await stepDownPrimary(context, true))) throw conflict('the cluster is not a primary')
}

/**
 * Changes the role from primary to secondary. Afterwards, no process of the cluster can commit replicated records. If `certified`, also
 * writes a step-down certificate with the last position, as soon as the Merkle tree contains all records. The certificate allows one
 * secondary to take over without losing records.
 *
 * @returns False if the cluster is not a primary, for example because another kernel changed the role first.
 */
export async function stepDownPrimary(context: ReplicationContext, certified: boolean): Promise<boolean> {
  const { membership, host } = context
  const { store } = host
  for (let tries = 1; ; tries++) {
    membership.invalidate()
    const { relation, version } = await membership.member()
    if (membership.mode !== 'primary') return false
    const { upstream: _, certificate: __, ...rest } = relation
    const performancePart = await performancePositionOf(context)
    const stepping = certified ? 'certified' : 'fenced'
    const progress: ReplicaProgress = {
      applied: 0,
      differs: true,
      consistentFrom: 0,
      lost: 0,
      steppingDown: stepping,
      ...performancePart,
    }
    const { ok } = await store.commit([
      membership.roleOp({ mode: 'secondary', epoch: 0, origin: '' }),
      membership.relationOp({ ...rest, mode: 'secondary' }, version),
      host.kind.replicaProgress.put(store, progress),
    ])
    membership.invalidate()
    if (ok) break
    if (tries === MAX_TRIES)
      throw new KernelError('ERR_UNAVAILABLE', 'other kernels keep changing the role of this cluster; retry')
    await store.backOff(Math.min(tries, 6))
  }
  if (certified) releaseWriteLease(context)
  await finishStepDown(context)
  if (host.kind === DR) await stopServing(context)
  host.events.publishKernelEvent('replication.mode_changed', { kind: host.kind.name, mode: 'secondary' })
  return true
}

/**
 * Releases the write lease, so that a new primary need not wait until it expires. A failure is ignored, because the secondary that claims
 * the certificate does not need the lease to be released.
 */
function releaseWriteLease({ writeLease, internals, membership }: ReplicationContext): void {
  if (!writeLease) return
  const release = membership.member().then(({ relation }) => writeLease.release(relation))
  void internals.gate.track(release.catch(() => {}))
}

/**
 * Returns the position of this cluster as a performance secondary, or an empty object if it was not a performance secondary. The position
 * is needed because a cluster that steps down as a DR primary also stops following its performance primary.
 */
async function performancePositionOf(context: ReplicationContext): Promise<Pick<ReplicaProgress, 'served'>> {
  const { membership } = context.otherKind
  if (context.host.kind !== DR || membership.mode !== 'secondary') return {}
  const served = await (await performancePositions(context))?.at(await newestEntry(context.host.store))
  return served ? { served } : {}
}

/** Drops cached records, because a DR secondary must not serve them, and disconnects the members of the performance set. */
async function stopServing({ internals, otherKind }: ReplicationContext): Promise<void> {
  otherKind.server.end()
  otherKind.follower.end()
  otherKind.membership.invalidate()
  await discardCachedState(internals)
  await otherKind.applyRole()
}

/**
 * Records the last position of the cluster as a primary, as soon as the Merkle tree contains the whole log. The position is final, because
 * nothing can be added to the epoch after the role has changed. If another kernel currently does the replication work, or after a crash, a
 * later tick records the position. Until then the cluster follows no primary and begins no epoch.
 *
 * @returns Whether the position is recorded.
 */
export async function finishStepDown(context: ReplicationContext): Promise<boolean> {
  const { membership, host, treeMaintainer } = context
  const { store } = host
  for (let tries = 1; ; tries++) {
    const { value, version } = await host.kind.replicaProgress.read(store)
    if (!value?.steppingDown) return true
    // Run twice: the first call may only join a run that read the log before the role changed.
    await treeMaintainer.run()
    const { value: treeProgress } = (await treeMaintainer.run()) ? await host.kind.treeProgress.read(store) : { value: undefined }
    if (!treeProgress || tries === MAX_TRIES) return false
    membership.invalidate()
    const { relation, version: related } = await membership.member()
    const { steppingDown, ...following } = value
    const isCertified = steppingDown === 'certified' && !relation.upstream
    const { epoch, start } = lastOf(relation.history)
    // Count all log entries, including those without replicated records, because secondaries count them too.
    const index = isCertified ? Math.max(treeProgress.index, start + treeProgress.entry) : treeProgress.index
    const certificate = { epoch, index, root: treeProgress.root }
    const served = following.served ?? (await (await performancePositions(context))?.at(treeProgress.entry))
    const { ok } = await store.commit([
      host.kind.replicaProgress.put(
        store,
        { ...following, applied: index, differs: !isCertified, ...(served ? { served } : {}) },
        version,
      ),
      ...(isCertified ? [membership.relationOp({ ...relation, certificate }, related)] : []),
    ])
    membership.invalidate()
    if (ok) return true
  }
}
