/**
 * Finds the records that are left in a keyspace after its mount was removed.
 */
import type { Clock } from '../base/clock.ts'
import { Slices } from '../base/slices.ts'
import { LANES, type Lane } from '../contract/lane.ts'
import { lanePrefixes, TIME_DIGITS } from './due-entry.ts'
import { loadAll } from './load-all.ts'
import type { Loader } from './loader.ts'
import { guardOf } from './pending-writes.ts'
import { sharedCountKey } from './shared-count.ts'
import type { Store } from './store.ts'

const PAGE = 1000

/**
 * Returns the storage keys of up to `limit` records that are left in the keyspace `id`. These include the guards of its folders, which are
 * records that change whenever a record is created or deleted in the folder.
 * @param follows Whether another cluster is the primary. If so, the primary deletes the replicated records, and this function omits them.
 */
export function listOrphanedKeys(loader: Loader, id: string, limit: number, follows: boolean): readonly string[] {
  const own = [`l/${id}/`, `i/${id}/`, sharedCountKey(`r/${id}/`), guardOf(`r/${id}/`, ''), guardOf(`l/${id}/`, '')]
  const prefixes = follows ? own : [`r/${id}/`, ...own]
  return loadAll(prefixes, (prefix) => loader.list(prefix, { limit }).map((name) => prefix + name))
    .flat()
    .slice(0, limit)
}

/**
 * Queues that contain only work of the kernel itself, never of a mount. They are not searched, because they can have an entry for each
 * token or lease.
 */
const KERNEL_LANES: readonly Lane[] = ['lease', 'revocation']

/** The estimated cost of checking an entry of the due index. */
const ENTRY_MICROSECONDS = 0.1

/**
 * Returns the storage keys of up to `limit` entries of the due index (the list of background work) that still belong to the keyspace `id`.
 * The index is ordered by time and not by keyspace, so the function reads entire queues, and lets the event loop do other work in between.
 * @param follows Whether another cluster is the primary. If so, the primary deletes the replicated entries, and this function omits them.
 */
export async function listOrphanedDueKeys(
  store: Store,
  clock: Clock,
  id: string,
  limit: number,
  follows: boolean,
): Promise<readonly string[]> {
  const slices = new Slices(clock)
  const found: string[] = []
  const lanes = (Object.keys(LANES) as Lane[]).filter((lane) => !KERNEL_LANES.includes(lane))
  for (const prefix of lanes.flatMap(lanePrefixes)) {
    if (follows && prefix.startsWith('r/')) continue
    for (let after: string | undefined, page: readonly string[] = []; ; after = page.at(-1)) {
      page = await store.list(prefix, after === undefined ? { limit: PAGE } : { limit: PAGE, after })
      for (const name of page) if (name.startsWith(`/${id}/`, TIME_DIGITS)) found.push(prefix + name)
      if (found.length >= limit) return found.slice(0, limit)
      if (page.length < PAGE) break
      if (slices.spend(page.length * ENTRY_MICROSECONDS)) await slices.giveWay()
    }
  }
  return found
}
