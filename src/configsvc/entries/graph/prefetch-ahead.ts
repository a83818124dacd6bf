import type { EntryReader } from './graph-entries.ts'

/** Entries are loaded together for this many names. */
const PREFETCH_NAMES = 500

/**
 * Call before each name of a list is read. At every {@link PREFETCH_NAMES}th name it loads the entries of these kinds for the next names.
 */
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
