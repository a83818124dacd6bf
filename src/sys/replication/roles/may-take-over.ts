/**
 * Who may take the place of a primary: a secondary that has all of its records, as far as that can be known; any secondary by force.
 */

import { combinedSignal } from '../../../core/base/combined-signal.ts'
import { conflict, invalid, KernelError } from '../../../core/base/errors.ts'
import type { Center } from '../center.ts'
import { type ExpiringTerm, expiringTerm, takeExpired } from '../fence/wait-for-right.ts'
import { Busy } from '../follow/follower.ts'
import { isClear } from '../follow/received.ts'
import type { Standing } from '../follow/standing.ts'
import { Refused, Unreachable } from '../link.ts'
import { type Following, type Heard, nextEpoch, type Relation } from '../state/records.ts'
import { indexIn } from '../wire/judged.ts'

/** @returns What may be lost, in sentences. @throws KernelError 400 where the primary lives, or may live; 503 behind it. */
export async function mayTakeOver(center: Center): Promise<readonly string[]> {
  const { host, membership } = center
  const { relation } = await membership.member()
  if (!relation.upstream) return withoutPrimary(center, relation)
  const over = new AbortController()
  const signal = combinedSignal(over.signal, host.env.closing)
  const term = center.right ? expiringTerm(center, center.right, relation, signal) : Promise.resolve(undefined)
  term.catch(() => {})
  try {
    return await takeOverBefore(center, relation, term, signal)
  } finally {
    over.abort()
  }
}

/** @param signal Ends the wait for the term, and for a primary that does not answer. */
async function takeOverBefore(
  center: Center,
  relation: Relation,
  term: Promise<ExpiringTerm | undefined>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { host, follower } = center
  try {
    await answeredOrExpired(
      center.inTurn(async () => (signal.aborted ? undefined : follower.follow(signal))),
      term,
    )
  } catch (error) {
    // Where another kernel follows, this one has heard where the primary is, and what was applied is in the store.
    if (!(error instanceof Unreachable || error instanceof Refused || error instanceof Busy)) throw behind(await missing(center))
    if (error instanceof Unreachable) return withoutAnswer(center, relation, term)
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

/**
 * Waits for the primary, but no longer than until its right to write has expired. A primary that released its right is waited for: it has
 * the last records.
 * @throws Unreachable if the right expired first.
 */
async function answeredOrExpired(answered: Promise<void>, term: Promise<ExpiringTerm | undefined>): Promise<void> {
  answered.catch(() => {})
  const expired = term.then(async (found) => {
    if (!found || found.term.released) return answered
    await found.expired
    throw new Unreachable('the primary did not answer before its right to write had expired')
  })
  // The fence decides nothing as long as the primary answers.
  await Promise.race([
    answered,
    expired.catch((error: unknown) => (error instanceof Unreachable ? Promise.reject(error) : answered)),
  ])
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
      : lacks.records === 0
        ? 'every record is here that it is known to have had'
        : counted(lacks)
  return [`${FORCED}: ${known}, and whatever it has written ${since}`]
}

const FORCED = 'forced: what the former primary had alone is lost to this set'

interface Missing {
  readonly records: number
  /** How many of them the primary acknowledged; undefined if it did not say. */
  readonly acknowledged: number | undefined
}

const missingAfter = (applied: number, head: number, heard: LastSaid | undefined): Missing => {
  const records = Math.max(0, head - applied)
  // Writes that the primary acknowledged after it was last heard are not counted.
  const acknowledged = heard?.acknowledged === undefined ? undefined : Math.max(0, Math.min(heard.acknowledged, head) - applied)
  return { records, acknowledged }
}

function counted({ records, acknowledged }: Missing): string {
  const lost = `${records} ${records === 1 ? 'record' : 'records'} that the primary had ${records === 1 ? 'is' : 'are'} missing here`
  if (acknowledged === undefined) return `${lost} (it did not say how many of them it acknowledged)`
  return `${lost} (it acknowledged ${acknowledged} of ${records === 1 ? 'this 1' : `these ${records}`})`
}

function sinceHeard({ host }: Center, heard: LastSaid | undefined): string {
  if (!heard) return 'since this kernel was started'
  return `since it was last heard, ${Math.ceil(Math.max(0, host.clock.now() - heard.at) / 1000)} seconds ago`
}

/** The records that the primary is known to have had and that are missing here; undefined if that is not known. */
async function missing(center: Center): Promise<Missing | undefined> {
  const { host, membership } = center
  const { value } = await host.kind.following.read(host.store)
  const heard = await lastHeard(center, (await membership.member()).relation)
  if (!value || !isClear(value) || !heard) return undefined
  return missingAfter(value.applied, heard.head, heard)
}

type LastSaid = Pick<Heard, 'head' | 'acknowledged' | 'at'>

const acknowledgedBy = ({ acknowledged }: Standing): Pick<Heard, 'acknowledged'> =>
  acknowledged === undefined ? {} : { acknowledged }

/** What the primary said last, to this kernel, or to another one of the cluster that may be gone. */
async function lastHeard({ follower }: Center, relation: Relation): Promise<LastSaid | undefined> {
  const { heard } = follower
  const noted = await follower.lastHeard.known(relation)
  const own = heard && { head: heard.standing.head, ...acknowledgedBy(heard.standing), at: heard.at }
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
async function withoutAnswer(
  center: Center,
  relation: Relation,
  term: Promise<ExpiringTerm | undefined>,
): Promise<readonly string[]> {
  const { host, options, right } = center
  const { value } = await host.kind.following.read(host.store)
  const isStrict = options.promotion === 'strict'
  const found = await term
  if (isStrict && !found) throw invalid(right ? NO_TERM : STRICT)
  const heard = await lastHeard(center, relation)
  const head = Math.max(heard?.head ?? 0, found?.term.index ?? 0)
  const isKnown = heard !== undefined || found !== undefined
  if (!isKnown || !hasAll(value, head))
    throw behind(value && isClear(value) && isKnown ? missingAfter(value.applied, head, heard) : undefined)
  if (right && found) {
    await takeExpired(right, found, { set: relation.set, place: { epoch: nextEpoch(relation), index: head } })
    if (found.term.released) return []
  }
  return [`the primary does not answer; what it acknowledged ${sinceHeard(center, heard)} may be lost`]
}

const STRICT =
  'the primary does not answer, and nothing shows that it writes no more (promotion is strict, and there is no fence): demote it, or use force'

const NO_TERM = 'the primary does not answer, and the fence does not know it, so it may still write: demote it, or use force'

const hasAll = (following: Following | undefined, head: number): boolean =>
  following !== undefined && isClear(following) && following.applied >= head

const behind = (lacks: Missing | undefined): KernelError =>
  new KernelError(
    'ERR_UNAVAILABLE',
    !lacks?.records
      ? 'the secondary has not caught up with its primary: wait until it has, or use force'
      : `the secondary has not caught up with its primary, ${counted(lacks)}: wait until it has, or use force, which loses them`,
  )
