/** The epochs of a set. Each promotion begins one. Two clusters that agree on an index agree on everything up to it. */

import type { Entropy } from '../../../core/base/entropy.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import { type EpochOrigin, shortOrigin } from '../../../core/log/frame.ts'
import { MAX_EPOCHS } from './bounds.ts'

/** Proves to a primary that one of its members began the epoch. */
export interface EpochProof {
  /** The id of the secondary that began the epoch; empty if it was begun with the primary's own key pair. */
  readonly by: string
  /** The MAC in hexadecimal, as `epochMac` computes it. */
  readonly mac: string
}

export interface Epoch {
  /** Counts promotions. A cluster never uses a number twice. */
  readonly epoch: number
  /** Random. Clusters that were promoted independently have different origins, even if their epochs have the same number. */
  readonly origin: string
  /** The last index of the previous epoch. The first record of this epoch has a higher index. */
  readonly start: number
  /**
   * Set if the cluster did not hold an exact state of the previous epoch when it began this one. A cluster that lacks this epoch must
   * compare all records.
   */
  readonly rebase?: true
  /** A proof for the primary of the previous epoch. The first epoch of a set has no proof. */
  readonly proof?: EpochProof
}

export type History = readonly Epoch[]

const ORIGIN_BYTES = 16

export const newOrigin = (entropy: Entropy): string => toHex(entropy.bytes(ORIGIN_BYTES))

export const lastOf = (history: History): Epoch => history[history.length - 1] as Epoch

const isSameEpoch = (a: Epoch | undefined, b: Epoch | undefined): boolean =>
  a !== undefined && b !== undefined && a.epoch === b.epoch && a.origin === b.origin && a.start === b.start

/**
 * Adds an epoch to a history. If the history is full, its oldest epoch is dropped. A cluster that followed none of the remaining epochs
 * must then compare all records.
 */
export const withEpoch = (history: History, begun: Epoch): History => [...history, begun].slice(-MAX_EPOCHS)

/** The last index on which both histories agree; infinite if one history continues the other. Each history may lack its oldest epochs. */
export function forkOf(ours: History, theirs: History): number {
  const [early, late] = [
    theirs.findIndex((one) => isSameEpoch(one, ours[0])),
    ours.findIndex((one) => isSameEpoch(one, theirs[0])),
  ]
  return forkFrom(ours.slice(Math.max(0, late)), theirs.slice(Math.max(0, early)))
}

function forkFrom(ours: History, theirs: History): number {
  if (!isSameEpoch(ours[0], theirs[0])) return 0
  let at = 0
  while (at < ours.length && at < theirs.length && isSameEpoch(ours[at], theirs[at])) at++
  return Math.min(ours[at]?.start ?? Number.POSITIVE_INFINITY, theirs[at]?.start ?? Number.POSITIVE_INFINITY)
}

/** Whether `theirs` has an epoch that began from an inexact state and that `ours` lacks. */
export const hasUnknownRebase = (ours: History, theirs: History): boolean =>
  theirs.some((epoch) => epoch.rebase === true && !ours.some((own) => isSameEpoch(own, epoch)))

/**
 * The first index from which the data is an exact state of the set. After an inexact start of an epoch, the state at the last index before
 * it is not exact.
 */
export const exactFrom = (history: History): number => {
  const last = history.at(-1)
  return last?.rebase ? last.start + 1 : 0
}

const epochRecordAt = (history: History, index: number): Epoch | undefined =>
  history.findLast(({ start }) => start < index) ?? history[0]

/** The number of the epoch that an index belongs to. */
export const epochAt = (history: History, index: number): number => epochRecordAt(history, index)?.epoch ?? 0

/** The origin of the epoch that an index belongs to. */
export const originAt = (history: History, index: number): string => epochRecordAt(history, index)?.origin ?? ''

/** The set index of the entry `logIndex` of a primary's log; undefined if its epoch is not part of the history any more. */
export function setIndexOf(history: History, { epoch, origin }: EpochOrigin, logIndex: number): number | undefined {
  const found = history.find((one) => one.epoch === epoch && shortOrigin(one.origin) === origin)
  return found && found.start + logIndex
}
