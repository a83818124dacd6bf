/**
 * A primary becomes a secondary that knows no primary. What it holds stays.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import type { Center } from '../center.ts'
import { lastOf } from '../state/history.ts'
import { FOLDED, FOLLOWING, type Following } from '../state/records.ts'

const MOST_TRIES = 20

/** @throws KernelError 400 unless the cluster is a primary. */
export async function demotePrimary(center: Center): Promise<void> {
  if (center.membership.mode !== 'primary') throw invalid('the cluster is no primary')
  await stepDown(center, true)
}

/**
 * From one commit on no process of the cluster writes replicated records. With a certificate, written when the tree has all there is, one
 * secondary may take the role over without losing anything.
 */
export async function stepDown(center: Center, certified: boolean): Promise<void> {
  const { membership, host } = center
  const { store } = host
  for (let tries = 1; ; tries++) {
    membership.doubt()
    const { relation, version } = await membership.member()
    if (membership.mode !== 'primary') break
    const { upstream: _, certificate: __, ...rest } = relation
    const stepping = certified ? 'certified' : 'fenced'
    const following: Following = { applied: 0, differs: true, fuzzy_until: 0, lost: 0, stepping }
    const { ok } = await store.commit([
      membership.roleOp({ mode: 'secondary', epoch: 0, origin: '' }),
      membership.relationOp(rest, version),
      FOLLOWING.put(store, following),
    ])
    membership.doubt()
    if (ok) break
    if (tries === MOST_TRIES) throw new KernelError('ERR_UNAVAILABLE', 'others keep changing the role of this cluster')
    await store.backOff(Math.min(tries, 6))
  }
  await finishStepDown(center)
  host.events.say('replication.mode_changed', { mode: 'secondary' })
}

/**
 * Notes how far the cluster had come as a primary, as soon as its tree has all of it: behind the commit that changed the role nothing of
 * the epoch can come. While another kernel has the claim, or after a crash, a later tick does it. Before that nobody is followed, and no
 * epoch begins.
 * @returns Whether it is noted.
 */
export async function finishStepDown({ membership, host, upkeep }: Center): Promise<boolean> {
  const { store } = host
  for (let tries = 1; ; tries++) {
    const { value, version } = await FOLLOWING.read(store)
    if (!value?.stepping) return true
    // A run that was under way may have read the log before the role changed.
    await upkeep.run()
    const { value: folded } = (await upkeep.run()) ? await FOLDED.read(store) : { value: undefined }
    if (!folded || tries === MOST_TRIES) return false
    membership.doubt()
    const { relation, version: related } = await membership.member()
    const { stepping, ...following } = value
    const isCertified = stepping === 'certified' && !relation.upstream
    const { epoch, start } = lastOf(relation.history)
    // Secondaries count all entries of the log, also those that were no records of this epoch.
    const index = isCertified ? Math.max(folded.index, start + folded.entry) : folded.index
    const certificate = { epoch, index, root: folded.root }
    const { ok } = await store.commit([
      FOLLOWING.put(store, { ...following, applied: index, differs: !isCertified }, version),
      ...(isCertified ? [membership.relationOp({ ...relation, certificate }, related)] : []),
    ])
    membership.doubt()
    if (ok) return true
  }
}
