/**
 * The records left in a place that nobody works in any more.
 */
import { gather } from './gather.ts'
import type { Loader } from './loader.ts'
import { sharedCountKey } from './shared-count.ts'
import { guardOf } from './writes.ts'

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
