/**
 * The entries of a lane, those of local mounts among the others.
 */
import type { Lane } from '../contract/lane.ts'
import { compareKeys } from '../storage/order.ts'
import { type DueEntry, dueEntry, lanePrefixes } from '../transaction/due-entry.ts'
import type { Store } from '../transaction/store.ts'

/**
 * The next entries of a lane, in order of time. What is due with replicated records is the primary's to do, and comes from there.
 * @param after The name of an entry.
 */
export async function laneEntries(store: Store, lane: Lane, limit: number, after?: string): Promise<readonly DueEntry[]> {
  // Nothing of another cluster's records is due here.
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
