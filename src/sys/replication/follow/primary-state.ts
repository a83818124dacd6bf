/**
 * What a primary says of itself, and what follows from it for a secondary.
 */
import type { CountsPage } from '../counts.ts'
import { LAYOUT } from '../serve/hello.ts'
import { forkOf, type History, hasUnknownRebase, lastOf } from '../state/history.ts'
import type { Certificate, Relation, ReplicaProgress } from '../state/records.ts'
import { indexIn, type Message, objectOf, textOf, textOrNone } from '../wire/message-members.ts'
import { addressesIn, epochIn, historyIn, logIndexIn } from '../wire/read-messages.ts'
import { countsIn, MAX_COUNT_KEY_CHARACTERS } from '../wire/reported-counts.ts'

export interface PrimaryState {
  readonly set: string
  readonly layout: number
  readonly mode: string
  readonly history: History
  /** The index of its newest record. */
  readonly head: number
  /** The index up to which it has acknowledged its records. Earlier releases do not say. */
  readonly acknowledged: number | undefined
  readonly checkpoint: { readonly index: number; readonly root: string } | undefined
  /** Records that it knows to be others than were written: it tells no checkpoint as long as there are any. Earlier releases do not say. */
  readonly faults: number
  readonly certificate: Certificate | undefined
  readonly addresses: readonly string[]
  /** Names the filter that this cluster's records are told by; empty where there never was one. */
  readonly view: string
  /** The filter leaves something out. */
  readonly partial: boolean
  /** Uses of keys that it knows of, and where to go on with the next greeting. */
  readonly counts: CountsPage
  /** For disaster recovery: how often it may have missed uses of keys. */
  readonly gaps: number
  /** It waits to be told what is stored here. Earlier releases do not say. */
  readonly acknowledge: boolean
}

const MAX_ADDRESSES = 64

const MAX_VIEW_CHARACTERS = 64

/**
 * @param now Milliseconds, on the clock of the reader.
 * @throws KernelError 400 for a message that no primary sends.
 */
export function readPrimaryState(message: Message, now: number): PrimaryState {
  const certificate = message['certificate'] === null ? undefined : objectOf(message['certificate'], 'certificate')
  const checkpoint = message['checkpoint'] === null ? undefined : objectOf(message['checkpoint'], 'checkpoint')
  return {
    set: textOf(message, 'set'),
    layout: indexIn(message, 'layout'),
    mode: textOf(message, 'mode'),
    history: historyIn(message, now),
    head: logIndexIn(message, 'head', now),
    acknowledged: message['acknowledged'] === undefined ? undefined : logIndexIn(message, 'acknowledged', now),
    checkpoint: checkpoint && { index: logIndexIn(checkpoint, 'index', now), root: textOf(checkpoint, 'root') },
    certificate: certificate && {
      epoch: epochIn(certificate, 'epoch', now),
      index: logIndexIn(certificate, 'index', now),
      root: textOf(certificate, 'root'),
    },
    faults: message['faults'] === undefined ? 0 : indexIn(message, 'faults'),
    addresses: addressesIn(message, 'addresses', MAX_ADDRESSES),
    view: textOrNone(message, 'view', MAX_VIEW_CHARACTERS),
    partial: message['partial'] === true,
    counts: { counts: countsIn(message), next: textOf(message, 'counts_next', MAX_COUNT_KEY_CHARACTERS) },
    gaps: message['gaps'] === undefined ? 0 : epochIn(message, 'gaps', now),
    acknowledge: message['acknowledge'] === true,
  }
}

export type FollowCourse =
  /** Nothing is followed, for a reason to be shown. */
  | { readonly way: 'idle'; readonly why: string }
  /** Own records behind `fork` are given up: the primary never had them. */
  | { readonly way: 'rewind'; readonly fork: number }
  | { readonly way: 'compare' }
  | { readonly way: 'stream' }

/** The first rule that matches counts. */
export function courseFor(relation: Relation, following: ReplicaProgress, theirs: PrimaryState): FollowCourse {
  const idle = (why: string): FollowCourse => ({ way: 'idle', why })
  if (theirs.set !== relation.set)
    return idle('the primary is of another set: this cluster has to be enabled anew, which clears its data')
  if (theirs.layout !== LAYOUT)
    return idle(`the primary’s records have layout ${theirs.layout}, and those here ${LAYOUT}: run the same release on both`)
  if (theirs.mode !== 'primary' && !theirs.certificate) return idle('it is no primary')
  if (lastOf(theirs.history).epoch < relation.max_epoch)
    return idle('a newer primary has been promoted since: this one is not followed')
  const fork = forkOf(relation.history, theirs.history)
  if (following.applied > fork) return { way: 'rewind', fork }
  if (theirs.head < following.applied) return idle('the primary was set back to an earlier state: it lacks what is held here')
  const lost = relation.history.some(
    (epoch) => epoch.rebase && !theirs.history.some((other) => other.epoch === epoch.epoch && other.origin === epoch.origin),
  )
  const isOtherwise = theirs.view !== (following.view ?? '')
  if (following.differs || isOtherwise || lost || hasUnknownRebase(relation.history, theirs.history)) return { way: 'compare' }
  return { way: 'stream' }
}
