/**
 * Who may take the place of a primary: whoever has all that it acknowledged, as far as that can be known; anybody by force.
 */
import { conflict, invalid, KernelError } from '../../../core/base/errors.ts'
import type { Center } from '../center.ts'
import { termOf, waitForRight } from '../fence/wait-for-right.ts'
import { Busy } from '../follow/follower.ts'
import { isClear } from '../follow/received.ts'
import { Refused, Unreachable } from '../link.ts'
import { type Following, type Heard, nextEpoch, type Relation } from '../state/records.ts'
import { indexIn } from '../wire/judged.ts'

/** @returns What may be lost, in sentences. @throws KernelError 400 where the primary lives, or may live; 503 behind it. */
export async function mayTakeOver(center: Center): Promise<readonly string[]> {
  const { host, follower, membership } = center
  const { relation } = await membership.member()
  if (!relation.upstream) return withoutPrimary(center, relation)
  try {
    await center.inTurn(() => follower.follow(host.env.closing))
  } catch (error) {
    // Where another kernel follows, this one has heard where the primary is, and what was applied is in the store.
    if (!(error instanceof Unreachable || error instanceof Refused || error instanceof Busy)) throw behind(await missing(center))
    if (error instanceof Unreachable) return withoutAnswer(center, relation)
  }
  const { heard } = follower
  const { certificate, mode } = heard?.standing ?? {}
  if (mode === 'primary') throw conflict('the primary lives: demote it first, or use force')
  if (!certificate) throw behind(await missing(center))
  const { value } = await host.kind.following.read(host.store)
  if (!value || !isClear(value) || value.applied < certificate.index) throw behind(await missing(center))
  await center.upkeep.run()
  const { value: folded } = await host.kind.folded.read(host.store)
  if (folded?.index !== certificate.index || folded.root !== certificate.root) throw behind(await missing(center))
  const claim = { kind: 'claim', index: certificate.index, epoch: certificate.epoch }
  const answer = await follower.ask(claim, host.env.closing).catch((error: unknown) => {
    throw error instanceof Refused ? invalid(error.message) : error
  })
  if (indexIn(answer, 'index') !== certificate.index) throw behind(await missing(center))
  return []
}

/** What force loses, as far as it is known. */
export async function forced(center: Center): Promise<readonly string[]> {
  const { relation } = await center.membership.member()
  if (!relation.upstream) return [`${FORCED}: no primary is known, and so not what it had last`]
  const lacks = await missing(center)
  const since = sinceHeard(center, await lastHeard(center, relation))
  const known =
    lacks === undefined
      ? 'how many records are missing here is not known'
      : lacks === 0
        ? 'everything is here that it was heard to have'
        : `${counted(lacks)} missing here`
  return [`${FORCED}: ${known}, and whatever it has written ${since}`]
}

const FORCED = 'forced: what the former primary had alone is lost to this set'

const counted = (records: number): string =>
  records === 1 ? '1 record that it acknowledged is' : `${records} records that it acknowledged are`

function sinceHeard({ host }: Center, heard: LastSaid | undefined): string {
  if (!heard) return 'since this kernel was started'
  return `since it was last heard, ${Math.ceil(Math.max(0, host.clock.now() - heard.at) / 1000)} seconds ago`
}

/** Records that the primary is known to have had and that are not here; undefined where nobody knows. */
async function missing(center: Center): Promise<number | undefined> {
  const { host, membership } = center
  const { value } = await host.kind.following.read(host.store)
  const heard = await lastHeard(center, (await membership.member()).relation)
  if (!value || !isClear(value) || !heard) return undefined
  return Math.max(0, heard.head - value.applied)
}

type LastSaid = Pick<Heard, 'head' | 'at'>

/** What the primary said last, to this kernel, or to another one of the cluster that may be gone. */
async function lastHeard({ follower }: Center, relation: Relation): Promise<LastSaid | undefined> {
  const { heard } = follower
  const noted = await follower.lastHeard.known(relation)
  const own = heard && { head: heard.standing.head, at: heard.at }
  return own && noted && noted.at > own.at ? noted : (own ?? noted)
}

/** A demoted primary has all that there was. */
async function withoutPrimary({ host }: Center, { certificate }: Relation): Promise<readonly string[]> {
  const { value } = await host.kind.following.read(host.store)
  if (!certificate || certificate.claimed !== undefined || !value || !isClear(value))
    throw conflict('no primary is known, and what it had last: use force')
  return []
}

/** Nobody answers: what was heard last has to be here, and what the fence knows of it. */
async function withoutAnswer(center: Center, relation: Relation): Promise<readonly string[]> {
  const { host, options, right } = center
  const { value } = await host.kind.following.read(host.store)
  const isStrict = options.promotion === 'strict'
  const found = right && (await termOf(right, relation))
  if (isStrict && !found) throw invalid(right ? NO_TERM : STRICT)
  const heard = await lastHeard(center, relation)
  const head = Math.max(heard?.head ?? 0, found?.term.index ?? 0)
  const isKnown = heard !== undefined || found !== undefined
  if (!isKnown || !hasAll(value, head)) throw behind(value && isClear(value) && isKnown ? head - value.applied : undefined)
  if (right && found) {
    await waitForRight(center, right, found, { set: relation.set, place: { epoch: nextEpoch(relation), index: head } })
    if (found.term.released) return []
  }
  return [`the primary does not answer; what it acknowledged ${sinceHeard(center, heard)} may be lost`]
}

const STRICT =
  'the primary does not answer, and nothing shows that it writes no more (promotion is strict, and there is no fence): demote it, or use force'

const NO_TERM = 'the primary does not answer, and the fence does not know it, so it may still write: demote it, or use force'

const hasAll = (following: Following | undefined, head: number): boolean =>
  following !== undefined && isClear(following) && following.applied >= head

const behind = (lacks: number | undefined): KernelError =>
  new KernelError(
    'ERR_UNAVAILABLE',
    lacks === undefined || lacks <= 0
      ? 'the secondary has not caught up with its primary: wait until it has, or use force'
      : `the secondary has not caught up with its primary, ${counted(lacks)} missing here: wait until it has, or use force, which loses them`,
  )
