/**
 * Tells of entries before they are read one after the other.
 */
import type { EntryReader } from './graph-entries.ts'

/** Entries are told of so many names at once. */
const PREFETCH_NAMES = 500

/** To be called before each name of a list is read: every so often, entries of these kinds are expected for the names that come next. */
export function prefetchAhead<Table, K extends keyof Table & string>(
  entries: EntryReader<Table>,
  kinds: readonly K[],
  i: number,
  names: (from: number, to: number) => readonly (string | undefined)[],
): void {
  if (i % PREFETCH_NAMES !== 0) return
  const distinct = new Set(names(i, i + PREFETCH_NAMES))
  entries.prefetch([...distinct].flatMap((name) => (name ? kinds.map((kind) => ({ kind, name })) : [])))
}
