/**
 * The first verdict of each recent commit, by id.
 * Room: core/storage. Imported by the storages here and by storage adapters.
 */
import type { Commit } from './port.ts'

/** The port demands 1,000. */
export const REMEMBERED_COMMITS = 4096

/** A map that forgets its oldest entry when it has more than `limit`. */
export interface Verdicts<T> {
  get(id: string): T | undefined
  set(id: string, verdict: T): void
  delete(id: string): void
  clear(): void
}

export function recentVerdicts<T = Commit>(limit: number = REMEMBERED_COMMITS): Verdicts<T> {
  const known = new Map<string, T>()
  return {
    get: (id) => known.get(id),
    set(id, verdict) {
      known.delete(id)
      known.set(id, verdict)
      if (known.size > limit) known.delete(known.keys().next().value!)
    },
    delete: (id) => void known.delete(id),
    clear: () => known.clear(),
  }
}
