/** Decides whether a secondary may take over from its primary. Without force, it may take over only if it is known to have all records. */

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

/**
 * @returns Warnings about writes that may be lost.
 * @throws KernelError 400 if the primary is alive, or if it might be; 503 if this secondary lacks records.
 */
export async function checkTakeOver(context: ReplicationContext): Promise<readonly string[]> {
  const { host, membership } = context
  const { relation } = await membership.member()
  if (!relation.upstream) return checkDemoted(context, relation)
  const controller = new AbortController()
  const signal = combinedSignal(controller.signal, host.env.closing)
  const term = context.writeLease ? watchExpiringLease(context, context.writeLease, relation, signal) : Promise.resolve(undefined)
  term.catch(() => {})
  try {
    return await checkWithin(context, relation, term, signal)
  } finally {
    controller.abort()
  }
}

/** @param signal Cancels the wait for the primary's answer and for the expiry of its write lease. */
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
    // `ClaimHeldError` means that another kernel of this cluster follows the primary. That is no reason to refuse: the other kernel has
    // received the primary's position, and the shared store contains the records that it applied.
    if (!(error instanceof PrimaryUnreachableError || error instanceof PrimaryRefusedError || error instanceof ClaimHeldError))
      throw notCaughtUp(await missingRecords(context))
    if (error instanceof PrimaryUnreachableError) return checkSilentPrimary(context, relation, term)
  }
  const { lastHello } = follower
  const { certificate, mode } = lastHello?.primaryState ?? {}
  if (mode === 'primary') throw conflict('the primary is alive: demote it first, or use force')
  if (!certificate) throw notCaughtUp(await missingRecords(context))
  const { value } = await host.kind.replicaProgress.read(host.store)
  if (!value || !isConsistent(value) || value.applied < certificate.index) throw notCaughtUp(await missingRecords(context))
  await context.treeMaintainer.run()
  const { value: treeProgress } = await host.kind.treeProgress.read(host.store)
  if (treeProgress?.index !== certificate.index || treeProgress.root !== certificate.root)
    throw notCaughtUp(await missingRecords(context))
  const claim = { kind: 'claim', index: certificate.index, epoch: certificate.epoch }
  const answer = await follower.ask(claim, host.env.closing).catch((error: unknown) => {
    throw error instanceof PrimaryRefusedError ? invalid(error.message) : error
  })
  if (indexIn(answer, 'index') !== certificate.index) throw notCaughtUp(await missingRecords(context))
  return []
}

/**
 * Waits for the primary's answer, but at most until the primary's write lease has expired. If the primary released its lease, waits for the
 * answer without this limit, because that primary has stepped down and has the last records.
 *
 * @throws PrimaryUnreachableError if the lease expires before the primary answers.
 */
async function answeredOrExpired(answered: Promise<void>, term: Promise<ExpiringLease | undefined>): Promise<void> {
  answered.catch(() => {})
  const expired = term.then(async (lease) => {
    if (!lease || lease.record.released) return answered
    await lease.expired
    throw new PrimaryUnreachableError('the primary did not answer before its write lease expired')
  })
  // If the primary answers, the state of its lease does not matter, so ignore failures of the fence register.
  await Promise.race([
    answered,
    expired.catch((error: unknown) => (error instanceof PrimaryUnreachableError ? Promise.reject(error) : answered)),
  ])
}

/** Returns a warning that describes, as far as known, the records that a forced promotion loses. */
export async function describeForcedLoss(context: ReplicationContext): Promise<readonly string[]> {
  const { relation } = await context.membership.member()
  if (!relation.upstream) return [`${FORCED_LOSS}; no primary is known, so it is not known which records it had`]
  const missing = await missingRecords(context)
  const since = sinceHeard(context, await lastKnownHead(context, relation))
  const known =
    missing === undefined
      ? 'it is not known how many records are missing here'
      : missing.records === 0
        ? 'this cluster has every record that the primary is known to have had'
        : describeMissing(missing)
  return [`${FORCED_LOSS}; ${known}, and everything that the primary wrote ${since} is lost`]
}

const FORCED_LOSS = 'forced: the set loses all records that only the former primary had'

interface MissingRecords {
  readonly records: number
  /** The number of missing records that the primary acknowledged to its clients; undefined if the primary did not report that number. */
  readonly acknowledged: number | undefined
}

const missingAfter = (applied: number, head: number, lastHead: LastKnownHead | undefined): MissingRecords => {
  const records = Math.max(0, head - applied)
  // A lower bound: the primary may have acknowledged more of these records after its last report.
  const acknowledged =
    lastHead?.acknowledged === undefined ? undefined : Math.max(0, Math.min(lastHead.acknowledged, head) - applied)
  return { records, acknowledged }
}

function describeMissing({ records, acknowledged }: MissingRecords): string {
  const lost = `${records} ${records === 1 ? 'record' : 'records'} that the primary had ${records === 1 ? 'is' : 'are'} missing here`
  if (acknowledged === undefined) return `${lost} (the primary did not report how many of them it acknowledged)`
  return `${lost} (the primary acknowledged ${acknowledged} of ${records === 1 ? 'this 1' : `these ${records}`})`
}

function sinceHeard({ host }: ReplicationContext, lastHead: LastKnownHead | undefined): string {
  if (!lastHead) return 'since this kernel was started'
  return `in the ${Math.ceil(Math.max(0, host.clock.now() - lastHead.at) / 1000)} seconds since its last message`
}

/**
 * Returns the number of records that this cluster lacks according to the primary's last report; undefined if the number cannot be computed.
 */
async function missingRecords(context: ReplicationContext): Promise<MissingRecords | undefined> {
  const { host, membership } = context
  const { value } = await host.kind.replicaProgress.read(host.store)
  const lastHead = await lastKnownHead(context, (await membership.member()).relation)
  if (!value || !isConsistent(value) || !lastHead) return undefined
  return missingAfter(value.applied, lastHead.head, lastHead)
}

type LastKnownHead = Pick<HeardHead, 'head' | 'acknowledged' | 'at'>

const acknowledgedBy = ({ acknowledged }: PrimaryState): Pick<HeardHead, 'acknowledged'> =>
  acknowledged === undefined ? {} : { acknowledged }

/**
 * Returns the position that the primary reported last, to this kernel or to another kernel of the cluster, even if that kernel has stopped
 * since.
 */
async function lastKnownHead({ follower }: ReplicationContext, relation: Relation): Promise<LastKnownHead | undefined> {
  const { lastHello } = follower
  const noted = await follower.lastHeard.known(relation)
  const own = lastHello && {
    head: lastHello.primaryState.head,
    ...acknowledgedBy(lastHello.primaryState),
    at: lastHello.at,
  }
  return own && noted && noted.at > own.at ? noted : (own ?? noted)
}

/**
 * Decides for a secondary without a primary. It has all records only if it was the primary itself, was demoted with a certificate, and no
 * secondary has claimed the certificate.
 */
async function checkDemoted({ host }: ReplicationContext, { certificate }: Relation): Promise<readonly string[]> {
  const { value } = await host.kind.replicaProgress.read(host.store)
  if (!certificate || certificate.claimed !== undefined || !value || !isConsistent(value))
    throw conflict('no primary is known, so this cluster may lack records: use force')
  return []
}

/**
 * Decides for a secondary whose primary does not answer. This cluster must have all records up to the greater of two positions: the one
 * that the primary reported last, and the one in the fence register.
 */
async function checkSilentPrimary(
  context: ReplicationContext,
  relation: Relation,
  term: Promise<ExpiringLease | undefined>,
): Promise<readonly string[]> {
  const { host, options, writeLease } = context
  const { value } = await host.kind.replicaProgress.read(host.store)
  const isStrict = options.promotion === 'strict'
  const lease = await term
  if (isStrict && !lease) throw invalid(writeLease ? NO_TERM : STRICT)
  const lastHead = await lastKnownHead(context, relation)
  const head = Math.max(lastHead?.head ?? 0, lease?.record.index ?? 0)
  const isKnown = lastHead !== undefined || lease !== undefined
  if (!isKnown || !hasAll(value, head))
    throw notCaughtUp(value && isConsistent(value) && isKnown ? missingAfter(value.applied, head, lastHead) : undefined)
  if (writeLease && lease) {
    await takeExpiredLease(writeLease, lease, { set: relation.set, place: { epoch: nextEpoch(relation), index: head } })
    if (lease.record.released) return []
  }
  return [`the primary does not answer; writes that it acknowledged ${sinceHeard(context, lastHead)} may be lost`]
}

const STRICT =
  'the primary does not answer and may still be writing; without a fence register, a strict promotion cannot exclude this: demote the primary first, or use force'

const NO_TERM =
  'the primary does not answer, and the fence register has no record of it, so it may still be writing: demote it, or use force'

const hasAll = (progress: ReplicaProgress | undefined, head: number): boolean =>
  progress !== undefined && isConsistent(progress) && progress.applied >= head

const notCaughtUp = (missing: MissingRecords | undefined): KernelError =>
  new KernelError(
    'ERR_UNAVAILABLE',
    !missing?.records
      ? 'the secondary has not caught up with its primary: wait until it has, or use force'
      : `the secondary has not caught up with its primary, ${describeMissing(missing)}: wait until it has, or use force, which loses them`,
  )
