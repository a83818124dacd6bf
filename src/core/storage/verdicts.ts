/**
 * The first verdict of each recent commit, by commit id.
 */
import type { Commit } from './port.ts'

/** The number of commit ids that the storages of this package remember. The port requires at least 1,000. */
export const REMEMBERED_COMMITS = 4096

/** A map that remembers at least its last `limit` entries, and never more than twice as many. */
export interface Verdicts<T> {
  get(id: string): T | undefined
  set(id: string, verdict: T): void
  delete(id: string): void
  clear(): void
}

/**
 * Keeps the entries in two maps. When the newer map is full, the older map is dropped as a whole. With a single map, finding the oldest
 * entry would be slow, because the iterator would have to skip deleted entries.
 */
export function recentVerdicts<T = Commit>(limit: number = REMEMBERED_COMMITS): Verdicts<T> {
  let recent = new Map<string, T>()
  let older = new Map<string, T>()
  return {
    get: (id) => recent.get(id) ?? older.get(id),
    set(id, verdict) {
      recent.set(id, verdict)
      if (recent.size < limit) return
      older = recent
      recent = new Map()
    },
    delete(id) {
      recent.delete(id)
      older.delete(id)
    },
    clear() {
      recent.clear()
      older.clear()
    },
  }
}
