/**
 * A primary becomes a secondary that knows no primary. What it holds stays.
 */
import { conflict, KernelError } from '../../../core/base/errors.ts'
import { begunAnew } from '../../../core/kernel/lifecycle.ts'
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
  // Of two kernels the second finds what the first has made of the cluster.
  if (!(await stepDown(context, true))) throw conflict('the cluster is not a primary')
}

/**
 * From one commit on no process of the cluster writes replicated records. With a certificate, written when the tree has all there is, one
 * secondary may take the role over without losing anything.
 * @returns False where another kernel did it.
 */
export async function stepDown(context: ReplicationContext, certified: boolean): Promise<boolean> {
  const { membership, host } = context
  const { store } = host
  for (let tries = 1; ; tries++) {
    membership.invalidate()
    const { relation, version } = await membership.member()
    if (membership.mode !== 'primary') return false
    const { upstream: _, certificate: __, ...rest } = relation
    const beside = await performancePositionOf(context)
    const stepping = certified ? 'certified' : 'fenced'
    const following: ReplicaProgress = {
      applied: 0,
      differs: true,
      consistentFrom: 0,
      lost: 0,
      steppingDown: stepping,
      ...beside,
    }
    const { ok } = await store.commit([
      membership.roleOp({ mode: 'secondary', epoch: 0, origin: '' }),
      membership.relationOp({ ...rest, mode: 'secondary' }, version),
      host.kind.replicaProgress.put(store, following),
    ])
    membership.invalidate()
    if (ok) break
    if (tries === MAX_TRIES) throw new KernelError('ERR_UNAVAILABLE', 'others keep changing the role of this cluster')
    await store.backOff(Math.min(tries, 6))
  }
  if (certified) releaseWriteLease(context)
  await finishStepDown(context)
  if (host.kind === DR) await stopServing(context)
  host.events.say('replication.mode_changed', { kind: host.kind.name, mode: 'secondary' })
  return true
}

/** Nobody has to wait for the right to run out. Whoever has the certificate need not know it. */
function releaseWriteLease({ writeLease, internals, membership }: ReplicationContext): void {
  if (!writeLease) return
  const release = membership.member().then(({ relation }) => writeLease.release(relation))
  void internals.gate.track(release.catch(() => {}))
}

/** Where a cluster that steps down for disaster recovery stands as a secondary among those that serve: it follows there no more. */
async function performancePositionOf(context: ReplicationContext): Promise<Pick<ReplicaProgress, 'served'>> {
  const { membership } = context.otherKind
  if (context.host.kind !== DR || membership.mode !== 'secondary') return {}
  const served = await (await performancePositions(context))?.at(await newestEntry(context.host.store))
  return served ? { served } : {}
}

/** What was read so far is no longer served, and nobody of the other set is answered. */
async function stopServing({ internals, otherKind }: ReplicationContext): Promise<void> {
  otherKind.server.end()
  otherKind.follower.end()
  otherKind.membership.invalidate()
  await begunAnew(internals)
  await otherKind.applyRole()
}

/**
 * Notes how far the cluster had come as a primary, as soon as its tree has all of it: behind the commit that changed the role nothing of
 * the epoch can come. While another kernel has the claim, or after a crash, a later tick does it. Before that nobody is followed, and no
 * epoch begins.
 * @returns Whether it is noted.
 */
export async function finishStepDown(context: ReplicationContext): Promise<boolean> {
  const { membership, host, treeMaintainer } = context
  const { store } = host
  for (let tries = 1; ; tries++) {
    const { value, version } = await host.kind.replicaProgress.read(store)
    if (!value?.steppingDown) return true
    // A run that was under way may have read the log before the role changed.
    await treeMaintainer.run()
    const { value: folded } = (await treeMaintainer.run()) ? await host.kind.treeProgress.read(store) : { value: undefined }
    if (!folded || tries === MAX_TRIES) return false
    membership.invalidate()
    const { relation, version: related } = await membership.member()
    const { steppingDown, ...following } = value
    const isCertified = steppingDown === 'certified' && !relation.upstream
    const { epoch, start } = lastOf(relation.history)
    // Secondaries count all entries of the log, also those that were no records of this epoch.
    const index = isCertified ? Math.max(folded.index, start + folded.entry) : folded.index
    const certificate = { epoch, index, root: folded.root }
    const served = following.served ?? (await (await performancePositions(context))?.at(folded.entry))
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
