/** Promotes a secondary to the primary of its set. */
import { conflict, KernelError } from '../../../core/base/errors.ts'
import type { Op } from '../../../core/storage/port.ts'
import { isConsistent } from '../follow/read-records.ts'
import { newestEntry } from '../log/log-pages.ts'
import { keepLostCountOps } from '../lost/lost-count.ts'
import { roleConflict } from '../membership.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { newOrigin, withEpoch } from '../state/history.ts'
import { nextEpoch, type Relation } from '../state/records.ts'
import { DR } from '../state/replication-kind.ts'
import { checkTakeOver, describeForcedLoss } from './check-take-over.ts'
import { finishStepDown } from './demote-primary.ts'
import { writeFirstRecord } from './first-record.ts'
import { startServing } from './plan-take-over.ts'
import { withEpochProof } from './with-epoch-proof.ts'

export interface PromoteOptions {
  readonly address: string
  readonly force: boolean
}

/**
 * @returns Warnings, for example about writes that may have been lost.
 * @throws KernelError 400 if the cluster is not a secondary, if a path filter hides data from it, or if the primary is alive or might be;
 * 503 if this secondary lacks records. With `force`, only a cluster that is not a secondary is refused.
 */
export async function promoteSecondary(
  context: ReplicationContext,
  { address, force }: PromoteOptions,
): Promise<readonly string[]> {
  const { membership, host } = context
  await host.store.commits.loadRole()
  if (membership.mode !== 'secondary') throw conflict('the cluster is not a secondary')
  if (!(await finishStepDown(context))) throw new KernelError('ERR_UNAVAILABLE', 'the cluster is still stepping down; retry')
  const { store, env } = host
  const isDr = host.kind === DR
  const isPartial = (await host.kind.replicaProgress.read(store)).value?.partial === true
  if (isPartial && !force)
    throw conflict(
      'a path filter hides a part of the primary’s data from this cluster: use force to promote it anyway, which loses that part',
    )
  const warnings = [
    ...(force ? await describeForcedLoss(context) : await checkTakeOverWithRetry(context)),
    ...(isPartial ? [FILTERED_LOSS] : []),
  ]
  for (let tries = 1; ; tries++) {
    membership.invalidate()
    const member = await membership.member()
    const { relation, version } = member
    const { value: progress, version: followed } = await host.kind.replicaProgress.read(store)
    // Check again: another kernel may have promoted this cluster since the check above.
    if (membership.mode !== 'secondary') throw roleConflict()
    if (!progress) throw new KernelError('ERR_INTERNAL', 'the stored replication progress is missing')
    const exact = isConsistent(progress) && !progress.partial
    const epoch = nextEpoch(relation)
    const begun = await withEpochProof(host, member, {
      epoch,
      origin: newOrigin(env.entropy),
      start: progress.applied,
      ...(exact ? {} : { rebase: true as const }),
    })
    const { upstream: _, certificate: __, gaps: primaryGaps = 0, ...rest } = relation
    const next: Relation = {
      ...rest,
      history: withEpoch(relation.history, begun),
      max_epoch: epoch,
      primary_cluster_addr: address,
      mode: 'primary',
    }
    const taken = await context.rules.planTakeOver(context, progress, address)
    const { value: treeProgress, version: foldedVersion } = await host.kind.treeProgress.read(store)
    // If records may be lost, the counts of key uses may also lack the last encryptions by the former primary, so count one more gap.
    const gaps = Math.max(membership.role.gaps ?? 0, primaryGaps) + Number(warnings.length > 0)
    const ops: readonly Op[] = [
      membership.roleOp({ mode: 'primary', epoch, origin: begun.origin }, gaps, taken.part),
      ...taken.ops,
      membership.relationOp(next, version),
      // `expect` makes the commit fail if another record was applied since `progress` was read: all applied records must belong to the
      // previous epoch.
      { op: 'del', key: host.kind.replicaProgress.key, expect: followed },
      ...(await keepLostCountOps(host, progress)),
      ...(treeProgress
        ? [
            host.kind.treeProgress.put(
              store,
              { ...treeProgress, validFrom: Math.max(treeProgress.validFrom, await newestEntry(store)) },
              foldedVersion,
            ),
          ]
        : []),
    ]
    const { ok } = await store.commit(ops, isDr ? UNDER_OLD_ROLE : undefined)
    membership.invalidate()
    if (ok) break
    if (membership.mode !== 'secondary' || tries === MAX_TRIES) throw roleConflict()
    await store.backOff(Math.min(tries, 6))
  }
  context.follower.end()
  if (isDr) warnings.push(...(await startServing(context)))
  const unable = await obtainWriteLease(context)
  if (unable) warnings.push(unable)
  await writeFirstRecord(context).catch((error: unknown) => {
    if (!unable) throw error
  })
  await context.applyRole()
  host.events.publishKernelEvent('replication.mode_changed', { kind: host.kind.name, mode: 'primary' })
  return warnings
}

const MAX_TRIES = 20

const FILTERED_LOSS =
  'the data that a path filter hid from this cluster is lost to the set, and will be deleted on clusters that follow this one'

/**
 * Returns undefined if the write lease was obtained or no fence register is configured. Otherwise returns the reason why the lease was not
 * obtained.
 */
async function obtainWriteLease({ writeLease }: ReplicationContext): Promise<string | undefined> {
  try {
    await writeLease?.obtain()
    return undefined
  } catch (error) {
    return `this cluster is the primary but cannot write yet: ${error instanceof KernelError ? error.message : 'unknown error'}`
  }
}

/**
 * Commit options for the commit of a promotion. A DR secondary accepts only commits that apply records of its primary, so the commit is marked
 * as one of them.
 */
const UNDER_OLD_ROLE = { applies: { upstream: undefined } } as const

/**
 * Retries a 503 refusal while another kernel of this cluster does the replication work, because that kernel may be applying the missing
 * records. If the role has changed during the check, the refusal is replaced by an error that says so.
 */
async function checkTakeOverWithRetry(context: ReplicationContext): Promise<readonly string[]> {
  const { host, membership, internals } = context
  for (let tries = 1; ; tries++) {
    try {
      return await checkTakeOver(context)
    } catch (error) {
      await host.store.commits.loadRole()
      membership.invalidate()
      if (membership.mode !== 'secondary') throw conflict('the cluster is not a secondary')
      const isBehind = error instanceof KernelError && error.code === 'ERR_UNAVAILABLE'
      if (!isBehind || tries === MAX_TRIES || (await internals.claims.acquire('core', 'replication'))) throw error
      await host.clock.sleep(RETRY_MS)
    }
  }
}

/** How long to wait before the next check, so that another kernel can apply records. */
const RETRY_MS = 100
