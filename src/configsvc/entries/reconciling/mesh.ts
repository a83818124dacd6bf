/**
 * The entries of a namespace as reconciliation reads them, and what it is going to do.
 */
import type { GatewayEntries } from '../gateways/gateway-entries.ts'
import type { KindName } from '../kind.ts'
import { ChangedEntries } from '../store/changed-entries.ts'
import { ENTRY, entryId } from '../store/entry-records.ts'
import type { EntryWrite } from '../store/keep-entries.ts'
import type { Reads } from '../store/noted-reads.ts'
import { ReferenceIndex } from '../store/reference-index.ts'
import type { StoredEntry } from '../stored-entry.ts'

export interface Mesh {
  readonly namespace: string
  /** RFC 3339. */
  readonly now: string
  /** Of the commit that writes. */
  readonly index: number
  readonly entries: GatewayEntries
  readonly references: ReferenceIndex
  readonly stored: (kind: KindName, name: string) => StoredEntry | undefined
}

export const meshOf = (reads: Reads, { namespace, now, index }: Pick<Mesh, 'namespace' | 'now' | 'index'>): Mesh => ({
  namespace,
  now,
  index,
  entries: new ChangedEntries(reads, namespace, new Map()),
  references: new ReferenceIndex(reads, namespace),
  stored: (kind, name) => reads.get(ENTRY, entryId(namespace, kind, name)),
})

export interface Plan {
  readonly writes: readonly EntryWrite[]
  /** What comes due with them. */
  readonly jobs: readonly string[]
}

export const NOTHING: Plan = { writes: [], jobs: [] }
