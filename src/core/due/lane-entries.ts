/**
 * Reads the scheduled items of a lane, which is a queue of background work. Items of local mounts are stored under a separate key prefix.
 * This module merges them with the other items.
 */
import type { Lane } from '../contract/lane.ts'
import { compareKeys } from '../storage/order.ts'
import { type DueEntry, dueEntry, lanePrefixes } from '../transaction/due-entry.ts'
import type { Store } from '../transaction/store.ts'

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
