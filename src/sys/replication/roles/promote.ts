/**
 * A secondary becomes the primary of its set.
 */
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

/** @returns What may have been lost, in a sentence. @throws KernelError 400 unless a secondary, or where the primary lives; 503 behind it. */
export async function promote(context: ReplicationContext, { address, force }: PromoteOptions): Promise<readonly string[]> {
  const { membership, host } = context
  await host.store.commits.loadRole()
  if (membership.mode !== 'secondary') throw conflict('the cluster is not a secondary')
  if (!(await finishStepDown(context))) throw new KernelError('ERR_UNAVAILABLE', 'the cluster is still stepping down: try again')
  const { store, env } = host
  const isDr = host.kind === DR
  const isPartial = (await host.kind.replicaProgress.read(store)).value?.partial === true
  if (isPartial && !force) throw conflict('a filter leaves out a part of what the primary holds: use force, and lose that part')
  const warnings = [
    ...(force ? await describeForcedLoss(context) : await checkTakeOverWithRetry(context)),
    ...(isPartial ? [FILTERED_LOSS] : []),
  ]
  for (let tries = 1; ; tries++) {
    membership.invalidate()
    const member = await membership.member()
    const { relation, version } = member
    const { value: following, version: followed } = await host.kind.replicaProgress.read(store)
    // Another kernel of the cluster may have been first.
    if (membership.mode !== 'secondary') throw roleConflict()
    if (!following) throw new KernelError('ERR_INTERNAL', 'the record of what was followed is missing')
    const exact = isConsistent(following) && !following.partial
    const epoch = nextEpoch(relation)
    const begun = await withEpochProof(host, member, {
      epoch,
      origin: newOrigin(env.entropy),
      start: following.applied,
      ...(exact ? {} : { rebase: true as const }),
    })
    const { upstream: _, certificate: __, gaps: told = 0, ...rest } = relation
    const next: Relation = {
      ...rest,
      history: withEpoch(relation.history, begun),
      max_epoch: epoch,
      primary_cluster_addr: address,
      mode: 'primary',
    }
    const taken = await context.rules.planTakeOver(context, following, address)
    const { value: folded, version: foldedVersion } = await host.kind.treeProgress.read(store)
    // Where something may be lost, so may be what the former primary encrypted last.
    const gaps = Math.max(membership.role.gaps ?? 0, told) + Number(warnings.length > 0)
    const ops: readonly Op[] = [
      membership.roleOp({ mode: 'primary', epoch, origin: begun.origin }, gaps, taken.part),
      ...taken.ops,
      membership.relationOp(next, version),
      // What is applied until then is in the epoch before.
      { op: 'del', key: host.kind.replicaProgress.key, expect: followed },
      ...(await keepLostCountOps(host, following)),
      ...(folded
        ? [
            host.kind.treeProgress.put(
              store,
              { ...folded, validFrom: Math.max(folded.validFrom, await newestEntry(store)) },
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
  host.events.say('replication.mode_changed', { kind: host.kind.name, mode: 'primary' })
  return warnings
}

const MAX_TRIES = 20

const FILTERED_LOSS = 'what a filter left out here is lost to this set, and removed from whoever follows this cluster'

/** Undefined where nothing but the store decides that, or the fence says so; else why not. */
async function obtainWriteLease({ writeLease }: ReplicationContext): Promise<string | undefined> {
  try {
    await writeLease?.obtain()
    return undefined
  } catch (error) {
    return `this cluster is the primary, and cannot write yet: ${error instanceof KernelError ? error.message : 'it failed'}`
  }
}

/** The role that is changed lets nobody write. */
const UNDER_OLD_ROLE = { applies: { upstream: undefined } } as const

/**
 * What this rests on may be gone because another kernel has changed the role meanwhile; and one that has the claim may be about to: what is told
 * here waits a moment for what that comes to.
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

/** Until another kernel has come further. */
const RETRY_MS = 100
