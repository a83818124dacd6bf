/**
 * The records left in a place that nobody works in any more.
 */
import { gather } from './gather.ts'
import type { Loader } from './loader.ts'
import { guardOf } from './writes.ts'

/** Keys of everything that lies below the place `id`, its guards included. */
export function remainsOf(loader: Loader, id: string, limit: number): readonly string[] {
  const prefixes = [`r/${id}/`, `l/${id}/`, `i/${id}/`, guardOf(`r/${id}/`, ''), guardOf(`l/${id}/`, '')]
  return gather(prefixes, (prefix) => loader.list(prefix, { limit }).map((name) => prefix + name))
    .flat()
    .slice(0, limit)
}
