/**
 * A secondary becomes the primary of its set.
 */
import { conflict, KernelError } from '../../../core/base/errors.ts'
import type { Op } from '../../../core/storage/port.ts'
import type { Center } from '../center.ts'
import { isClear } from '../follow/received.ts'
import { newestEntry } from '../log/log-pages.ts'
import { countsOn } from '../lost/lost-before.ts'
import { roleConflict } from '../membership.ts'
import { newOrigin, withEpoch } from '../state/history.ts'
import { DR } from '../state/kind.ts'
import { nextEpoch, type Relation } from '../state/records.ts'
import { begunEpoch } from './begun-epoch.ts'
import { finishStepDown } from './demote-primary.ts'
import { firstRecord } from './first-record.ts'
import { forced, mayTakeOver } from './may-take-over.ts'
import { beginToServe } from './take-over.ts'

export interface PromoteWish {
  readonly address: string
  readonly force: boolean
}

/** @returns What may have been lost, in a sentence. @throws KernelError 400 unless a secondary, or where the primary lives; 503 behind it. */
export async function promote(center: Center, { address, force }: PromoteWish): Promise<readonly string[]> {
  const { membership, host } = center
  await host.store.commits.loadRole()
  if (membership.mode !== 'secondary') throw conflict('the cluster is no secondary')
  if (!(await finishStepDown(center))) throw new KernelError('ERR_UNAVAILABLE', 'the cluster is still stepping down: try again')
  const { store, env } = host
  const isDr = host.kind === DR
  const isPartial = (await host.kind.following.read(store)).value?.partial === true
  if (isPartial && !force) throw conflict('a filter leaves out a part of what the primary holds: use force, and lose that part')
  const warnings = [...(force ? await forced(center) : await mayTakeOverNow(center)), ...(isPartial ? [WITHOUT_A_PART] : [])]
  for (let tries = 1; ; tries++) {
    membership.doubt()
    const member = await membership.member()
    const { relation, version } = member
    const { value: following, version: followed } = await host.kind.following.read(store)
    // Another kernel of the cluster may have been first.
    if (membership.mode !== 'secondary') throw roleConflict()
    if (!following) throw new KernelError('ERR_INTERNAL', 'the record of what was followed is missing')
    const exact = isClear(following) && !following.partial
    const epoch = nextEpoch(relation)
    const begun = await begunEpoch(host, member, {
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
    const taken = await center.rules.takenOver(center, following, address)
    const { value: folded, version: foldedVersion } = await host.kind.folded.read(store)
    // Where something may be lost, so may be what the former primary encrypted last.
    const gaps = Math.max(membership.role.gaps ?? 0, told) + Number(warnings.length > 0)
    const ops: readonly Op[] = [
      membership.roleOp({ mode: 'primary', epoch, origin: begun.origin }, gaps, taken.part),
      ...taken.ops,
      membership.relationOp(next, version),
      // What is applied until then is in the epoch before.
      { op: 'del', key: host.kind.following.key, expect: followed },
      ...(await countsOn(host, following)),
      ...(folded
        ? [
            host.kind.folded.put(
              store,
              { ...folded, soundFrom: Math.max(folded.soundFrom, await newestEntry(store)) },
              foldedVersion,
            ),
          ]
        : []),
    ]
    const { ok } = await store.commit(ops, isDr ? BEFORE_ANYBODY : undefined)
    membership.doubt()
    if (ok) break
    if (membership.mode !== 'secondary' || tries === MOST_TRIES) throw roleConflict()
    await store.backOff(Math.min(tries, 6))
  }
  center.follower.end()
  if (isDr) warnings.push(...(await beginToServe(center)))
  const unable = await mayWrite(center)
  if (unable) warnings.push(unable)
  await firstRecord(center).catch((error: unknown) => {
    if (!unable) throw error
  })
  await center.settle()
  host.events.say('replication.mode_changed', { kind: host.kind.name, mode: 'primary' })
  return warnings
}

const MOST_TRIES = 20

const WITHOUT_A_PART = 'what a filter left out here is lost to this set, and removed from whoever follows this cluster'

/** Undefined where nothing but the store decides that, or the fence says so; else why not. */
async function mayWrite({ right }: Center): Promise<string | undefined> {
  try {
    await right?.obtain()
    return undefined
  } catch (error) {
    return `this cluster is the primary, and cannot write yet: ${error instanceof KernelError ? error.message : 'it failed'}`
  }
}

/** The role that is changed lets nobody write. */
const BEFORE_ANYBODY = { applies: { upstream: undefined } } as const

/**
 * What this rests on may be gone because another kernel has changed the role meanwhile; and one that has the claim may be about to: what is told
 * here waits a moment for what that comes to.
 */
async function mayTakeOverNow(center: Center): Promise<readonly string[]> {
  const { host, membership, insides } = center
  for (let tries = 1; ; tries++) {
    try {
      return await mayTakeOver(center)
    } catch (error) {
      await host.store.commits.loadRole()
      membership.doubt()
      if (membership.mode !== 'secondary') throw conflict('the cluster is no secondary')
      const isBehind = error instanceof KernelError && error.code === 'ERR_UNAVAILABLE'
      if (!isBehind || tries === MOST_TRIES || (await insides.claims.acquire('core', 'replication'))) throw error
      await host.clock.sleep(ANOTHER_MS)
    }
  }
}

/** Until another kernel has come further. */
const ANOTHER_MS = 100
