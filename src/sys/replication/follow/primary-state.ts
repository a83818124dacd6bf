/** Reads the state that a primary reports in its answer to a hello, and decides how the secondary continues. */
import type { CountsPage } from '../counts.ts'
import { LAYOUT } from '../serve/hello.ts'
import { forkOf, type History, hasUnknownRebase, lastOf } from '../state/history.ts'
import type { Relation, ReplicaProgress, StepDownCertificate } from '../state/records.ts'
import { indexIn, type Message, objectOf, stringMember } from '../wire/message-members.ts'
import { addressesIn, epochIn, historyIn, logIndexIn } from '../wire/read-messages.ts'
import { countsIn, MAX_COUNT_KEY_CHARACTERS } from '../wire/reported-counts.ts'

/** The part of the primary's state that every answer to a hello or a fetch reports. */
export interface PrimaryProgress {
  /** The index of the primary's newest record. */
  readonly head: number
  /** The index up to which secondaries have acknowledged the primary's records, as the primary requires. Absent if the sender is not a primary. */
  readonly acknowledged: number | undefined
  /** Whether the primary waits for acknowledgements. */
  readonly acknowledge: boolean
  /** The version of the record with the primary's membership in the set. When it changes, the secondary sends a hello. */
  readonly membership: number
}

export interface PrimaryState extends PrimaryProgress {
  readonly set: string
  readonly layout: number
  readonly mode: string
  readonly history: History
  readonly checkpoint: { readonly index: number; readonly root: string } | undefined
  /**
   * The number of damaged records that the primary has found. While the number is not 0, the primary reports no checkpoint, which is a
   * Merkle root at an index.
   */
  readonly faults: number
  readonly certificate: StepDownCertificate | undefined
  readonly addresses: readonly string[]
  /**
   * A random token that the primary replaces whenever it changes the path filter of this secondary (the filter view). Empty if the
   * secondary never had a path filter.
   */
  readonly view: string
  /** Whether the path filter excludes any records. */
  readonly partial: boolean
  /** A page of usage counts, and the name of the count record after which the next page begins. */
  readonly counts: CountsPage
  /** In DR replication: the number of events after which the primary's counts of key uses may be too low. */
  readonly gaps: number
}

const MAX_ADDRESSES = 64

const MAX_VIEW_CHARACTERS = 64

/**
 * @param now The time on the receiver's clock, in milliseconds.
 * @throws KernelError 400 if a primary cannot have sent this message.
 */
export function readPrimaryState(message: Message, now: number): PrimaryState {
  const certificate = message['certificate'] === null ? undefined : objectOf(message['certificate'], 'certificate')
  const checkpoint = message['checkpoint'] === null ? undefined : objectOf(message['checkpoint'], 'checkpoint')
  return {
    set: stringMember(message, 'set'),
    layout: indexIn(message, 'layout'),
    mode: stringMember(message, 'mode'),
    history: historyIn(message, now),
    ...readPrimaryProgress(message, now),
    checkpoint: checkpoint && { index: logIndexIn(checkpoint, 'index', now), root: stringMember(checkpoint, 'root') },
    certificate: certificate && {
      epoch: epochIn(certificate, 'epoch', now),
      index: logIndexIn(certificate, 'index', now),
      root: stringMember(certificate, 'root'),
    },
    faults: indexIn(message, 'faults'),
    addresses: addressesIn(message, 'addresses', MAX_ADDRESSES),
    view: stringMember(message, 'view', MAX_VIEW_CHARACTERS),
    partial: message['partial'] === true,
    counts: { counts: countsIn(message), next: stringMember(message, 'counts_next', MAX_COUNT_KEY_CHARACTERS) },
    gaps: message['gaps'] === undefined ? 0 : epochIn(message, 'gaps', now),
  }
}

/** @throws KernelError 400 if a primary cannot have sent this message. */
export const readPrimaryProgress = (message: Message, now: number): PrimaryProgress => ({
  head: logIndexIn(message, 'head', now),
  acknowledged: message['acknowledged'] === undefined ? undefined : logIndexIn(message, 'acknowledged', now),
  acknowledge: message['acknowledge'] === true,
  membership: indexIn(message, 'membership'),
})

export type FollowCourse =
  /** The cluster does not follow the primary. The replication status shows `why`. */
  | { readonly way: 'idle'; readonly why: string }
  /** The records of this cluster after `fork` are discarded, because the primary never had them. */
  | { readonly way: 'rewind'; readonly fork: number }
  | { readonly way: 'compare' }
  | { readonly way: 'stream' }

/** Decides how a secondary continues. The conditions are checked in order, and the first one that holds decides. */
export function courseFor(relation: Relation, progress: ReplicaProgress, primary: PrimaryState): FollowCourse {
  const idle = (why: string): FollowCourse => ({ way: 'idle', why })
  if (primary.set !== relation.set)
    return idle('the primary belongs to another set: enable the secondary again, which clears its data')
  if (primary.layout !== LAYOUT)
    return idle(
      `the primary’s records have layout ${primary.layout}, but this cluster uses layout ${LAYOUT}: run the same release on both clusters`,
    )
  if (primary.mode !== 'primary' && !primary.certificate) return idle('the cluster that answered is not a primary')
  if (lastOf(primary.history).epoch < relation.max_epoch)
    return idle('this secondary already knows a newer primary, so it does not follow the one that answered')
  const fork = forkOf(relation.history, primary.history)
  if (progress.applied > fork) return { way: 'rewind', fork }
  if (primary.head < progress.applied)
    return idle('the primary was set back to an earlier state: it lacks records that this cluster has')
  const lost = relation.history.some(
    (epoch) => epoch.rebase && !primary.history.some((other) => other.epoch === epoch.epoch && other.origin === epoch.origin),
  )
  const isOtherwise = primary.view !== (progress.view ?? '')
  if (progress.differs || isOtherwise || lost || hasUnknownRebase(relation.history, primary.history)) return { way: 'compare' }
  return { way: 'stream' }
}
