/**
 * What the clusters of a set know of each other's uses of a key version, so that all of them together keep to its limit.
 *
 * Each cluster counts by itself and tells the others from {@link TOLD_FROM} on. A count only grows, so of two that are told of one cluster
 * the higher one holds, in whatever order and by whichever way they came.
 */
import { jsonRecord } from '../contract/record-kind.ts'
import { keyOf } from './core-key.ts'

/** Of one key version, at `l/core/shared-count/<mount>/<folder>/<owner>/<version>`: behind the class it is the key of that version. */
export interface SharedCount {
  /** The most that was ever reserved here, from {@link TOLD_FROM} on; 0 below. */
  readonly own: number
  /** What others say of this cluster: more than `own` where its store was set back to an earlier state. */
  readonly floor?: number
  /** Other clusters, by the names that they have in the set. */
  readonly others: Readonly<Record<string, number>>
}

export const SHARED_COUNT = /* @__PURE__ */ jsonRecord<SharedCount>({ class: 'l', folder: 'shared-count' })

/** Lower counts stay where they are. */
export const TOLD_FROM = 2 ** 28

/** @param parent The key of the counted key version, or the beginning of one. */
export const sharedCountKey = (parent: string): string => keyOf(SHARED_COUNT, parent.slice(2))

/** Only what other clusters have, too, is counted together with them. */
export const isShared = (parent: string): boolean => parent.startsWith('r/')

/** The uses of all other clusters. */
export const elsewhere = (shared: SharedCount | undefined): number =>
  shared ? Object.values(shared.others).reduce((sum, count) => sum + count, 0) : 0
