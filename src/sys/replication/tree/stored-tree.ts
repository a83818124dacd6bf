/** Defines how the functions of this folder read a stored tree. */
import type { Clock } from '../../../core/base/clock.ts'
import type { Hash } from '../../../core/crypto/backend.ts'
import { type RecordName, rootName } from './geometry.ts'
import { readTreeRoot } from './page-records.ts'

/**
 * Reads at most 512 records and returns them in the order of `names`; undefined for an absent record. The caller may keep and change the
 * returned arrays.
 */
export type ReadRecords = (names: readonly RecordName[]) => Promise<readonly (Uint8Array | undefined)[]>

const NAMES_PER_READ = 512

/** Reads any number of records. */
export async function readMany(read: ReadRecords, names: readonly RecordName[]): Promise<readonly (Uint8Array | undefined)[]> {
  const found: (Uint8Array | undefined)[] = []
  for (let from = 0; from < names.length; from += NAMES_PER_READ)
    found.push(...(await read(names.slice(from, from + NAMES_PER_READ))))
  return found
}

export interface StoredTree {
  readonly read: ReadRecords
  /**
   * Returns up to `limit` record names that begin with the prefix and come after `after`, in order. The names include the prefix. `after`
   * need not be an existing name.
   */
  names(prefix: string, page: { readonly after?: RecordName; readonly limit: number }): Promise<readonly RecordName[]>
  /** Returns the names of the domains that have records, without duplicates, in any order. */
  domains(): Promise<readonly string[]>
  readonly sha256: Hash
  /** The clock for pauses, so that long work does not block the event loop. */
  readonly clock: Clock
}

/** The root of each domain, keyed by the name of the domain. */
export type Roots = ReadonlyMap<string, Uint8Array>

/** The number of root records to read in one call. A root record can be 5 KiB long. */
const ROOTS_PER_READ = 64

/** Reads the roots of all domains, ordered by name, as in messages. The roots are not read atomically. */
export async function readRoots(tree: Pick<StoredTree, 'read' | 'clock' | 'domains'>): Promise<Roots> {
  const { read, clock } = tree
  const domains = [...(await tree.domains())].sort()
  const roots = new Map<string, Uint8Array>()
  for (let from = 0; from < domains.length; from += ROOTS_PER_READ) {
    if (from > 0) await clock.sleep(0)
    const some = domains.slice(from, from + ROOTS_PER_READ)
    const records = await read(some.map(rootName))
    for (const [at, domain] of some.entries()) roots.set(domain, readTreeRoot(records[at], domain).root.slice())
  }
  return roots
}
