/**
 * The counts of key uses that the clusters of a set report to each other, so that the limit of a key applies to all clusters together.
 *
 * Each cluster counts its own uses, and reports its count when the count has reached {@link MIN_SHARED_USES}. A count never decreases. So
 * if two reports about a cluster differ, the one with the higher count is the newer one, no matter in which order they arrive.
 */
import { coreRecord } from '../contract/core-record.ts'
import { coreRecordKey } from './core-key.ts'

/**
 * The counts for one key version, stored at `l/core/shared-count/<mount>/<folder>/<owner>/<version>`. The part after the prefix is the
 * storage key of that version without its class.
 */
export interface SharedCount {
  /** The highest number of uses that this cluster has ever reserved, if that number is at least {@link MIN_SHARED_USES}; otherwise 0. */
  readonly own: number
  /** The count that other clusters report for this cluster. It exceeds `own` if this store was restored to an earlier state. */
  readonly floor?: number
  /** The counts of other clusters, by their names in the set. */
  readonly others: Readonly<Record<string, number>>
}

export const SHARED_COUNT = /* @__PURE__ */ coreRecord<SharedCount>({ class: 'l', folder: 'shared-count' })

/** A cluster reports its count to other clusters only if the count is at least this high. */
export const MIN_SHARED_USES = 2 ** 28

/** @param parent The key of the counted key version, or a prefix of that key. */
export const sharedCountKey = (parent: string): string => coreRecordKey(SHARED_COUNT, parent.slice(2))

/** Whether the uses of the key are counted across clusters. That is the case only for replicated keys. */
export const hasSharedCount = (parent: string): boolean => parent.startsWith('r/')

/** The uses of all other clusters. */
export const usesByOtherClusters = (shared: SharedCount | undefined): number =>
  shared ? Object.values(shared.others).reduce((sum, count) => sum + count, 0) : 0
