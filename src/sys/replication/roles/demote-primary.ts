/**
 * A primary becomes a secondary that knows no primary. What it holds stays.
 */
import { conflict, KernelError } from '../../../core/base/errors.ts'
import { begunAnew } from '../../../core/kernel/lifecycle.ts'
import type { Center } from '../center.ts'
import { newestEntry } from '../log/log-pages.ts'
import { placesBeside } from '../serve/beside.ts'
import { lastOf } from '../state/history.ts'
import { DR } from '../state/kind.ts'
import type { Following } from '../state/records.ts'

const MOST_TRIES = 20

/** @throws KernelError 400 unless the cluster is a primary. */
export async function demotePrimary(center: Center): Promise<void> {
  await center.host.store.commits.loadRole()
  if (center.membership.mode !== 'primary') throw conflict('the cluster is no primary')
  // Of two kernels the second finds what the first has made of the cluster.
  if (!(await stepDown(center, true))) throw conflict('the cluster is no primary')
}

/**
 * From one commit on no process of the cluster writes replicated records. With a certificate, written when the tree has all there is, one
 * secondary may take the role over without losing anything.
 * @returns False where another kernel did it.
 */
export async function stepDown(center: Center, certified: boolean): Promise<boolean> {
  const { membership, host } = center
  const { store } = host
  for (let tries = 1; ; tries++) {
    membership.doubt()
    const { relation, version } = await membership.member()
    if (membership.mode !== 'primary') return false
    const { upstream: _, certificate: __, ...rest } = relation
    const beside = await positionBeside(center)
    const stepping = certified ? 'certified' : 'fenced'
    const following: Following = { applied: 0, differs: true, fuzzy_until: 0, lost: 0, stepping, ...beside }
    const { ok } = await store.commit([
      membership.roleOp({ mode: 'secondary', epoch: 0, origin: '' }),
      membership.relationOp({ ...rest, mode: 'secondary' }, version),
      host.kind.following.put(store, following),
    ])
    membership.doubt()
    if (ok) break
    if (tries === MOST_TRIES) throw new KernelError('ERR_UNAVAILABLE', 'others keep changing the role of this cluster')
    await store.backOff(Math.min(tries, 6))
  }
  if (certified) releaseRight(center)
  await finishStepDown(center)
  if (host.kind === DR) await servesNobody(center)
  host.events.say('replication.mode_changed', { kind: host.kind.name, mode: 'secondary' })
  return true
}

/** Nobody has to wait for the right to run out. Whoever has the certificate need not know it. */
function releaseRight({ right, insides, membership }: Center): void {
  if (!right) return
  const release = membership.member().then(({ relation }) => right.release(relation))
  void insides.gate.track(release.catch(() => {}))
}

/** Where a cluster that steps down for disaster recovery stands as a secondary among those that serve: it follows there no more. */
async function positionBeside(center: Center): Promise<Pick<Following, 'served'>> {
  const { membership } = center.beside
  if (center.host.kind !== DR || membership.mode !== 'secondary') return {}
  const served = await (await placesBeside(center))?.at(await newestEntry(center.host.store))
  return served ? { served } : {}
}

/** What was read so far is no longer served, and nobody of the other set is answered. */
async function servesNobody({ insides, beside }: Center): Promise<void> {
  beside.server.end()
  beside.follower.end()
  beside.membership.doubt()
  await begunAnew(insides)
  await beside.settle()
}

/**
 * Notes how far the cluster had come as a primary, as soon as its tree has all of it: behind the commit that changed the role nothing of
 * the epoch can come. While another kernel has the claim, or after a crash, a later tick does it. Before that nobody is followed, and no
 * epoch begins.
 * @returns Whether it is noted.
 */
export async function finishStepDown(center: Center): Promise<boolean> {
  const { membership, host, upkeep } = center
  const { store } = host
  for (let tries = 1; ; tries++) {
    const { value, version } = await host.kind.following.read(store)
    if (!value?.stepping) return true
    // A run that was under way may have read the log before the role changed.
    await upkeep.run()
    const { value: folded } = (await upkeep.run()) ? await host.kind.folded.read(store) : { value: undefined }
    if (!folded || tries === MOST_TRIES) return false
    membership.doubt()
    const { relation, version: related } = await membership.member()
    const { stepping, ...following } = value
    const isCertified = stepping === 'certified' && !relation.upstream
    const { epoch, start } = lastOf(relation.history)
    // Secondaries count all entries of the log, also those that were no records of this epoch.
    const index = isCertified ? Math.max(folded.index, start + folded.entry) : folded.index
    const certificate = { epoch, index, root: folded.root }
    const served = following.served ?? (await (await placesBeside(center))?.at(folded.entry))
    const { ok } = await store.commit([
      host.kind.following.put(
        store,
        { ...following, applied: index, differs: !isCertified, ...(served ? { served } : {}) },
        version,
      ),
      ...(isCertified ? [membership.relationOp({ ...relation, certificate }, related)] : []),
    ])
    membership.doubt()
    if (ok) return true
  }
}
