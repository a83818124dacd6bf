/**
 * The history of a replication set: its epochs, one for each promotion. Two clusters that have an index of the same epoch in common have
 * the same records up to that index.
 */

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
  /** The number of the epoch. It increases with every promotion, and a cluster never uses a number twice. */
  readonly epoch: number
  /**
   * A random id of the epoch. If two clusters are promoted independently, their epochs can have the same number but have different origins.
   */
  readonly origin: string
  /** The last index of the previous epoch. The first record of this epoch has a higher index. */
  readonly start: number
  /**
   * Set if the records of the cluster that began this epoch corresponded to no single index of the previous epoch, for example because a
   * Merkle sync was incomplete. A cluster whose history lacks this epoch must then compare all records.
   */
  readonly rebase?: true
  /** The proof that the primary of the previous epoch can verify. The first epoch of a set has no proof. */
  readonly proof?: EpochProof
}

export type History = readonly Epoch[]

const ORIGIN_BYTES = 16

export const newOrigin = (entropy: Entropy): string => toHex(entropy.bytes(ORIGIN_BYTES))

export const lastOf = (history: History): Epoch => history[history.length - 1] as Epoch

const isSameEpoch = (a: Epoch | undefined, b: Epoch | undefined): boolean =>
  a !== undefined && b !== undefined && a.epoch === b.epoch && a.origin === b.origin && a.start === b.start

/**
 * Adds an epoch to a history. If the history is full, its oldest epoch is dropped. A cluster that knows none of the remaining epochs must
 * compare all records.
 */
export const withEpoch = (history: History, begun: Epoch): History => [...history, begun].slice(-MAX_EPOCHS)

/**
 * The last index up to which both histories are the same; infinite if one history continues the other. Each history may lack its oldest
 * epochs, so the comparison begins at the first epoch that both contain.
 */
export function forkOf(ours: History, theirs: History): number {
  if (isSameEpoch(ours[0], theirs[0])) return forkFrom(ours, theirs)
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

/** Whether `theirs` contains an epoch that began without an exact state of the previous epoch (`rebase`) and that `ours` lacks. */
export const hasUnknownRebase = (ours: History, theirs: History): boolean =>
  theirs.some((epoch) => epoch.rebase === true && !ours.some((own) => isSameEpoch(own, epoch)))

/**
 * The lowest index at which the data is an exact state of the set. If the current epoch began without an exact state (`rebase`), the state
 * at its start index is not exact, so the first exact index is the next one.
 */
export const exactFrom = (history: History): number => {
  const last = history.at(-1)
  return last?.rebase ? last.start + 1 : 0
}

const epochRecordAt = (history: History, index: number): Epoch | undefined =>
  history.findLast(({ start }) => start < index) ?? history[0]

/** The number of the epoch to which an index belongs. */
export const epochAt = (history: History, index: number): number => epochRecordAt(history, index)?.epoch ?? 0

/** The origin of the epoch to which an index belongs. */
export const originAt = (history: History, index: number): string => epochRecordAt(history, index)?.origin ?? ''

/**
 * Converts the number of an entry in a primary's log into an index of the set. Returns undefined if the history no longer contains the
 * epoch of the entry.
 */
export function setIndexOf(history: History, { epoch, origin }: EpochOrigin, logIndex: number): number | undefined {
  const found = history.find((one) => one.epoch === epoch && shortOrigin(one.origin) === origin)
  return found && found.start + logIndex
}
