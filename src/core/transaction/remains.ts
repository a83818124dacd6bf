/**
 * The records left in a place that nobody works in any more.
 */
import type { Clock } from '../base/clock.ts'
import { Slices } from '../base/slices.ts'
import { LANES, type Lane } from '../contract/lane.ts'
import { lanePrefixes, TIME_DIGITS } from './due-entry.ts'
import { gather } from './gather.ts'
import type { Loader } from './loader.ts'
import { sharedCountKey } from './shared-count.ts'
import type { Store } from './store.ts'
import { guardOf } from './writes.ts'

const PAGE = 1000

/**
 * Keys of everything that lies below the place `id`, its guards included.
 * @param follows Replicated records are another cluster's to clear away.
 */
export function remainsOf(loader: Loader, id: string, limit: number, follows: boolean): readonly string[] {
  const own = [`l/${id}/`, `i/${id}/`, sharedCountKey(`r/${id}/`), guardOf(`r/${id}/`, ''), guardOf(`l/${id}/`, '')]
  const prefixes = follows ? own : [`r/${id}/`, ...own]
  return gather(prefixes, (prefix) => loader.list(prefix, { limit }).map((name) => prefix + name))
    .flat()
    .slice(0, limit)
}

/** Work on these lanes is the kernel's own, never a mount's, and there may be an entry for each token or lease. */
const KERNEL_LANES: readonly Lane[] = ['lease', 'revocation']

/** Estimated cost of looking at a due entry. */
const ENTRY_MICROSECONDS = 0.1

/**
 * Keys of due entries of the place `id`. Entries are in order of time, so the lanes are read from end to end, in slices.
 * @param follows Replicated entries are another cluster's to clear away.
 */
export async function dueKeysOf(
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
