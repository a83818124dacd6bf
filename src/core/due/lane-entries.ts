/**
 * Reads the scheduled items of a lane, which is a queue of background work. Items of local mounts are stored under a separate key prefix.
 * This module merges them with the other items.
 */
import { LANES, type Lane } from '../contract/lane.ts'
import { compareKeys } from '../storage/order.ts'
import { DUE, type DueEntry, dueEntry, lanePrefixes } from '../transaction/due-entry.ts'
import type { Store } from '../transaction/store.ts'

/** Returns the lanes for which {@link laneEntries} returns items. Reads only the names of the lanes, so the cost is that of an empty lane. */
export async function filledLanes(store: Store): Promise<readonly Lane[]> {
  if (store.commits.isMirror) return []
  const classes = store.commits.isFollower ? (['l'] as const) : (['r', 'l'] as const)
  const found = await Promise.all(classes.map((keyClass) => store.list(`${keyClass}/${DUE}/`, { delimiter: '/' })))
  const names = new Set(found.flat())
  return (Object.keys(LANES) as Lane[]).filter((lane) => names.has(`${lane}/`))
}

/**
 * Returns the next items of a lane, ordered by time. On a secondary, items for replicated records are omitted, because the primary does
 * their work and the results are replicated.
 * @param after The `name` of the entry after which to begin.
 */
export async function laneEntries(store: Store, lane: Lane, limit: number, after?: string): Promise<readonly DueEntry[]> {
  // A DR secondary does no background work.
  if (store.commits.isMirror) return []
  const prefixes = lanePrefixes(lane).filter((prefix) => !(store.commits.isFollower && prefix.startsWith('r/')))
  const page = after === undefined ? { limit } : { after, limit }
  const found = await Promise.all(
    prefixes.map(async (prefix) => (await store.list(prefix, page)).map((name) => dueEntry(lane, prefix + name))),
  )
  const entries = found.flat()
  if (found.length > 1) entries.sort((a, b) => compareKeys(a.name, b.name))
  return entries.slice(0, limit)
}
