/**
 * Counts of key version uses that the clusters of a set report to each other, so that together they keep the key's limit.
 *
 * Each cluster counts its own uses and reports them from {@link MIN_SHARED_USES} on. A count only grows, so of two reports about a cluster
 * the higher one is valid, whatever their order and route.
 */
import { jsonRecord } from '../contract/record-kind.ts'
import { coreRecordKey } from './core-key.ts'

/**
 * The counts for one key version, stored at `l/core/shared-count/<mount>/<folder>/<owner>/<version>`: after the prefix, the key of that
 * version without its class.
 */
export interface SharedCount {
  /** The most that was ever reserved here, from {@link MIN_SHARED_USES} on; 0 below. */
  readonly own: number
  /** The count that other clusters report for this one. It exceeds `own` after this store was restored to an earlier state. */
  readonly floor?: number
  /** The counts of other clusters, by their names in the set. */
  readonly others: Readonly<Record<string, number>>
}

export const SHARED_COUNT = /* @__PURE__ */ jsonRecord<SharedCount>({ class: 'l', folder: 'shared-count' })

/** Lower counts are not reported. */
export const MIN_SHARED_USES = 2 ** 28

/** @param parent The key of the counted key version, or a prefix of it. */
export const sharedCountKey = (parent: string): string => coreRecordKey(SHARED_COUNT, parent.slice(2))

/** Only uses of replicated keys are counted across clusters. */
export const hasSharedCount = (parent: string): boolean => parent.startsWith('r/')

/** The uses of all other clusters. */
export const usesByOtherClusters = (shared: SharedCount | undefined): number =>
  shared ? Object.values(shared.others).reduce((sum, count) => sum + count, 0) : 0
