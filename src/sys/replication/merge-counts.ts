/** Merges usage counts: for each cluster, the highest reported count is kept. */
import { MIN_SHARED_USES, type SharedCount } from '../../core/transaction/shared-count.ts'
import { MAX_COUNT, MAX_COUNTED_CLUSTERS, type ReportedCount } from './wire/reported-counts.ts'

const NOTHING: SharedCount = { own: 0, others: {} }

/**
 * Merges counts that another cluster has reported. Returns undefined if nothing changes.
 * @param name The name of this cluster in the set.
 */
export function mergeCounts(known: SharedCount | undefined, by: ReportedCount['by'], name: string): SharedCount | undefined {
  const before = known ?? NOTHING
  const others = highestCounts(before.others, by, name)
  const own = by[name] ?? 0
  const isSetBack = own > Math.max(before.own, before.floor ?? 0)
  if (!isSetBack && isSame(before.others, others)) return undefined
  return isSetBack ? { ...before, others, floor: own } : { ...before, others }
}

/** Returns the counts that this cluster reports to other members. */
export function countsToReport({ own, floor = 0, others }: SharedCount, name: string): ReportedCount['by'] {
  const count = Math.max(own, floor)
  return count < MIN_SHARED_USES ? others : { ...others, [name]: Math.min(count, MAX_COUNT) }
}

/**
 * Returns the highest count of each cluster, for at most `MAX_COUNTED_CLUSTERS` clusters. If there are more, the sum of the highest counts
 * alone has reached the limit of uses, so the others are not needed.
 */
function highestCounts(known: SharedCount['others'], reported: ReportedCount['by'], name: string): SharedCount['others'] {
  const all = new Map(Object.entries(known))
  for (const [cluster, count] of Object.entries(reported))
    if (cluster !== name && count > (all.get(cluster) ?? 0)) all.set(cluster, count)
  return Object.fromEntries([...all].sort(([, a], [, b]) => b - a).slice(0, MAX_COUNTED_CLUSTERS))
}

const isSame = (a: SharedCount['others'], b: SharedCount['others']): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(b).every(([name, count]) => a[name] === count)
