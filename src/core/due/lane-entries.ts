/**
 * Reads the due entries of a lane, merging those of local mounts with the others.
 */
import type { Lane } from '../contract/lane.ts'
import { compareKeys } from '../storage/order.ts'
import { type DueEntry, dueEntry, lanePrefixes } from '../transaction/due-entry.ts'
import type { Store } from '../transaction/store.ts'

/**
 * The next entries of a lane, in time order. On a secondary, work of replicated records is omitted: the primary does it and replicates the
 * result.
 * @param after The name of an entry to start after.
 */
export async function laneEntries(store: Store, lane: Lane, limit: number, after?: string): Promise<readonly DueEntry[]> {
  // A DR secondary does no background work at all.
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
