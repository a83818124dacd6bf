import type { EntryReader } from './graph-entries.ts'

/** The number of names whose entries are loaded together. */
const PREFETCH_NAMES = 500

/**
 * Call this before reading each name of a list. At every {@link PREFETCH_NAMES}th name, it loads the entries of these kinds for the
 * following names.
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
