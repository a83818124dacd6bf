/**
 * Who may take the place of a primary: a secondary that has all of its records, as far as that can be known; any secondary by force.
 */

import { combinedSignal } from '../../../core/base/combined-signal.ts'
import { conflict, invalid, KernelError } from '../../../core/base/errors.ts'
import { type ExpiringLease, takeExpiredLease, watchExpiringLease } from '../fence/expiring-lease.ts'
import { ClaimHeldError } from '../follow/follower.ts'
import type { PrimaryState } from '../follow/primary-state.ts'
import { isConsistent } from '../follow/read-records.ts'
import { PrimaryRefusedError, PrimaryUnreachableError } from '../link.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { type HeardHead, nextEpoch, type Relation, type ReplicaProgress } from '../state/records.ts'
import { indexIn } from '../wire/message-members.ts'

/** @returns What may be lost, in sentences. @throws KernelError 400 where the primary lives, or may live; 503 behind it. */
export async function checkTakeOver(context: ReplicationContext): Promise<readonly string[]> {
  const { host, membership } = context
  const { relation } = await membership.member()
  if (!relation.upstream) return checkDemoted(context, relation)
  const over = new AbortController()
  const signal = combinedSignal(over.signal, host.env.closing)
  const term = context.writeLease ? watchExpiringLease(context, context.writeLease, relation, signal) : Promise.resolve(undefined)
  term.catch(() => {})
  try {
    return await checkWithin(context, relation, term, signal)
  } finally {
    over.abort()
  }
}

/** @param signal Ends the wait for the term, and for a primary that does not answer. */
async function checkWithin(
  context: ReplicationContext,
  relation: Relation,
  term: Promise<ExpiringLease | undefined>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { host, follower } = context
  try {
    await answeredOrExpired(
      context.inTurn(async () => (signal.aborted ? undefined : follower.follow(signal))),
      term,
    )
  } catch (error) {
    // Where another kernel follows, this one has heard where the primary is, and what was applied is in the store.
    if (!(error instanceof PrimaryUnreachableError || error instanceof PrimaryRefusedError || error instanceof ClaimHeldError))
      throw notCaughtUp(await missingRecords(context))
    if (error instanceof PrimaryUnreachableError) return checkSilentPrimary(context, relation, term)
  }
  const { lastPrimaryState } = follower
  const { certificate, mode } = lastPrimaryState?.standing ?? {}
  if (mode === 'primary') throw conflict('the primary lives: demote it first, or use force')
  if (!certificate) throw notCaughtUp(await missingRecords(context))
  const { value } = await host.kind.replicaProgress.read(host.store)
  if (!value || !isConsistent(value) || value.applied < certificate.index) throw notCaughtUp(await missingRecords(context))
  await context.treeMaintainer.run()
  const { value: folded } = await host.kind.treeProgress.read(host.store)
  if (folded?.index !== certificate.index || folded.root !== certificate.root) throw notCaughtUp(await missingRecords(context))
  const claim = { kind: 'claim', index: certificate.index, epoch: certificate.epoch }
  const answer = await follower.ask(claim, host.env.closing).catch((error: unknown) => {
    throw error instanceof PrimaryRefusedError ? invalid(error.message) : error
  })
  if (indexIn(answer, 'index') !== certificate.index) throw notCaughtUp(await missingRecords(context))
  return []
}

/**
 * Waits for the primary, but no longer than until its right to write has expired. A primary that released its right is waited for: it has
 * the last records.
 * @throws Unreachable if the right expired first.
 */
async function answeredOrExpired(answered: Promise<void>, term: Promise<ExpiringLease | undefined>): Promise<void> {
  answered.catch(() => {})
  const expired = term.then(async (found) => {
    if (!found || found.record.released) return answered
    await found.expired
    throw new PrimaryUnreachableError('the primary did not answer before its right to write had expired')
  })
  // The fence decides nothing as long as the primary answers.
  await Promise.race([
    answered,
    expired.catch((error: unknown) => (error instanceof PrimaryUnreachableError ? Promise.reject(error) : answered)),
  ])
}

/** What force loses, as far as it is known. */
export async function describeForcedLoss(context: ReplicationContext): Promise<readonly string[]> {
  const { relation } = await context.membership.member()
  if (!relation.upstream) return [`${FORCED_LOSS}: no primary is known, and so not what it had last`]
  const lacks = await missingRecords(context)
  const since = sinceHeard(context, await lastKnownHead(context, relation))
  const known =
    lacks === undefined
      ? 'how many records are missing here is not known'
      : lacks.records === 0
        ? 'every record is here that it is known to have had'
        : describeMissing(lacks)
  return [`${FORCED_LOSS}: ${known}, and whatever it has written ${since}`]
}

const FORCED_LOSS = 'forced: what the former primary had alone is lost to this set'

interface MissingRecords {
  readonly records: number
  /** How many of them the primary acknowledged; undefined if it did not say. */
  readonly acknowledged: number | undefined
}

const missingAfter = (applied: number, head: number, heard: LastKnownHead | undefined): MissingRecords => {
  const records = Math.max(0, head - applied)
  // Writes that the primary acknowledged after it was last heard are not counted.
  const acknowledged = heard?.acknowledged === undefined ? undefined : Math.max(0, Math.min(heard.acknowledged, head) - applied)
  return { records, acknowledged }
}

function describeMissing({ records, acknowledged }: MissingRecords): string {
  const lost = `${records} ${records === 1 ? 'record' : 'records'} that the primary had ${records === 1 ? 'is' : 'are'} missing here`
  if (acknowledged === undefined) return `${lost} (it did not say how many of them it acknowledged)`
  return `${lost} (it acknowledged ${acknowledged} of ${records === 1 ? 'this 1' : `these ${records}`})`
}

function sinceHeard({ host }: ReplicationContext, heard: LastKnownHead | undefined): string {
  if (!heard) return 'since this kernel was started'
  return `since it was last heard, ${Math.ceil(Math.max(0, host.clock.now() - heard.at) / 1000)} seconds ago`
}

/** The records that the primary is known to have had and that are missing here; undefined if that is not known. */
async function missingRecords(context: ReplicationContext): Promise<MissingRecords | undefined> {
  const { host, membership } = context
  const { value } = await host.kind.replicaProgress.read(host.store)
  const heard = await lastKnownHead(context, (await membership.member()).relation)
  if (!value || !isConsistent(value) || !heard) return undefined
  return missingAfter(value.applied, heard.head, heard)
}

type LastKnownHead = Pick<HeardHead, 'head' | 'acknowledged' | 'at'>

const acknowledgedBy = ({ acknowledged }: PrimaryState): Pick<HeardHead, 'acknowledged'> =>
  acknowledged === undefined ? {} : { acknowledged }

/** What the primary said last, to this kernel, or to another one of the cluster that may be gone. */
async function lastKnownHead({ follower }: ReplicationContext, relation: Relation): Promise<LastKnownHead | undefined> {
  const { lastPrimaryState } = follower
  const noted = await follower.lastHeard.known(relation)
  const own = lastPrimaryState && {
    head: lastPrimaryState.standing.head,
    ...acknowledgedBy(lastPrimaryState.standing),
    at: lastPrimaryState.at,
  }
  return own && noted && noted.at > own.at ? noted : (own ?? noted)
}

/** A demoted primary has all that there was. */
async function checkDemoted({ host }: ReplicationContext, { certificate }: Relation): Promise<readonly string[]> {
  const { value } = await host.kind.replicaProgress.read(host.store)
  if (!certificate || certificate.claimed !== undefined || !value || !isConsistent(value))
    throw conflict('no primary is known, and what it had last: use force')
  return []
}

/** Nobody answers: what was heard last has to be here, and what the fence knows of it. */
async function checkSilentPrimary(
  context: ReplicationContext,
  relation: Relation,
  term: Promise<ExpiringLease | undefined>,
): Promise<readonly string[]> {
  const { host, options, writeLease } = context
  const { value } = await host.kind.replicaProgress.read(host.store)
  const isStrict = options.promotion === 'strict'
  const found = await term
  if (isStrict && !found) throw invalid(writeLease ? NO_TERM : STRICT)
  const heard = await lastKnownHead(context, relation)
  const head = Math.max(heard?.head ?? 0, found?.record.index ?? 0)
  const isKnown = heard !== undefined || found !== undefined
  if (!isKnown || !hasAll(value, head))
    throw notCaughtUp(value && isConsistent(value) && isKnown ? missingAfter(value.applied, head, heard) : undefined)
  if (writeLease && found) {
    await takeExpiredLease(writeLease, found, { set: relation.set, place: { epoch: nextEpoch(relation), index: head } })
    if (found.record.released) return []
  }
  return [`the primary does not answer; what it acknowledged ${sinceHeard(context, heard)} may be lost`]
}

const STRICT =
  'the primary does not answer, and nothing shows that it writes no more (promotion is strict, and there is no fence): demote it, or use force'

const NO_TERM = 'the primary does not answer, and the fence does not know it, so it may still write: demote it, or use force'

const hasAll = (following: ReplicaProgress | undefined, head: number): boolean =>
  following !== undefined && isConsistent(following) && following.applied >= head

const notCaughtUp = (lacks: MissingRecords | undefined): KernelError =>
  new KernelError(
    'ERR_UNAVAILABLE',
    !lacks?.records
      ? 'the secondary has not caught up with its primary: wait until it has, or use force'
      : `the secondary has not caught up with its primary, ${describeMissing(lacks)}: wait until it has, or use force, which loses them`,
  )
