/**
 * Tells of entries before they are read one after the other.
 */
import type { EntriesOf } from './entries-read.ts'

/** Entries are told of so many names at once. */
const AHEAD = 500

/** To be called before each name of a list is read: every so often, entries of these kinds are expected for the names that come next. */
export function expectAhead<Table, K extends keyof Table & string>(
  entries: EntriesOf<Table>,
  kinds: readonly K[],
  i: number,
  names: (from: number, to: number) => readonly (string | undefined)[],
): void {
  if (i % AHEAD !== 0) return
  const distinct = new Set(names(i, i + AHEAD))
  entries.expect([...distinct].flatMap((name) => (name ? kinds.map((kind) => ({ kind, name })) : [])))
}
