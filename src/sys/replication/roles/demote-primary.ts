/** Demotes a primary to a secondary without a primary. The cluster keeps its data. */
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
  // Another kernel may have demoted the cluster meanwhile.
  if (!(await stepDownPrimary(context, true))) throw conflict('the cluster is not a primary')
}

/**
 * Changes the role. Afterwards, no process of the cluster can commit replicated records. The certificate is written when the tree contains
 * all records. With the certificate, one secondary can take over without losing records.
 *
 * @returns False if another kernel changed the role first.
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
 * Releases the write lease, so that a new primary need not wait until it expires. A failure does not matter for the claimant of the
 * certificate.
 */
function releaseWriteLease({ writeLease, internals, membership }: ReplicationContext): void {
  if (!writeLease) return
  const release = membership.member().then(({ relation }) => writeLease.release(relation))
  void internals.gate.track(release.catch(() => {}))
}

/**
 * The position of this cluster as a performance secondary, if it was one. When the cluster steps down as a DR primary, it also stops
 * following its performance primary.
 */
async function performancePositionOf(context: ReplicationContext): Promise<Pick<ReplicaProgress, 'served'>> {
  const { membership } = context.otherKind
  if (context.host.kind !== DR || membership.mode !== 'secondary') return {}
  const served = await (await performancePositions(context))?.at(await newestEntry(context.host.store))
  return served ? { served } : {}
}

/** Drops cached records, which must no longer be served, and disconnects the members of the performance set. */
async function stopServing({ internals, otherKind }: ReplicationContext): Promise<void> {
  otherKind.server.end()
  otherKind.follower.end()
  otherKind.membership.invalidate()
  await discardCachedState(internals)
  await otherKind.applyRole()
}

/**
 * Records how far the cluster had come as a primary, once the tree contains all of the log. Nothing can be added to the epoch after the
 * role has changed. If another kernel has the claim, or after a crash, a later tick does this. Until then the cluster follows no primary
 * and begins no epoch.
 *
 * @returns Whether the position is recorded.
 */
export async function finishStepDown(context: ReplicationContext): Promise<boolean> {
  const { membership, host, treeMaintainer } = context
  const { store } = host
  for (let tries = 1; ; tries++) {
    const { value, version } = await host.kind.replicaProgress.read(store)
    if (!value?.steppingDown) return true
    // A run that was active before may have read the log before the role changed, so run twice.
    await treeMaintainer.run()
    const { value: treeProgress } = (await treeMaintainer.run()) ? await host.kind.treeProgress.read(store) : { value: undefined }
    if (!treeProgress || tries === MAX_TRIES) return false
    membership.invalidate()
    const { relation, version: related } = await membership.member()
    const { steppingDown, ...following } = value
    const isCertified = steppingDown === 'certified' && !relation.upstream
    const { epoch, start } = lastOf(relation.history)
    // Secondaries count all log entries, including those without replicated records.
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
