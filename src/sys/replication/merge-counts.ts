/**
 * What a cluster knows of the uses of a key version in its set, and what it learns: of each cluster the highest count that anybody told.
 */
import { type SharedCount, TOLD_FROM } from '../../core/transaction/shared-count.ts'
import { MOST_CLUSTERS, MOST_COUNT, type ToldCount } from './wire/told-counts.ts'

const NOTHING: SharedCount = { own: 0, others: {} }

/** Undefined where nothing is new. @param name The cluster's own. */
export function merged(known: SharedCount | undefined, by: ToldCount['by'], name: string): SharedCount | undefined {
  const before = known ?? NOTHING
  const others = highest(before.others, by, name)
  const own = by[name] ?? 0
  const isSetBack = own > Math.max(before.own, before.floor ?? 0)
  if (!isSetBack && isSame(before.others, others)) return undefined
  return isSetBack ? { ...before, others, floor: own } : { ...before, others }
}

/** What others are told. */
export function toldOf({ own, floor = 0, others }: SharedCount, name: string): ToldCount['by'] {
  const count = Math.max(own, floor)
  return count < TOLD_FROM ? others : { ...others, [name]: Math.min(count, MOST_COUNT) }
}

/** The highest counts stay: with that many the limit is reached. */
function highest(known: SharedCount['others'], told: ToldCount['by'], name: string): SharedCount['others'] {
  const all = new Map(Object.entries(known))
  for (const [cluster, count] of Object.entries(told))
    if (cluster !== name && count > (all.get(cluster) ?? 0)) all.set(cluster, count)
  return Object.fromEntries([...all].sort(([, a], [, b]) => b - a).slice(0, MOST_CLUSTERS))
}

const isSame = (a: SharedCount['others'], b: SharedCount['others']): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(b).every(([name, count]) => a[name] === count)
