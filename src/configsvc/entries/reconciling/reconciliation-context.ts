/** The reads of a reconciliation job and its planned writes. */
import type { GatewayEntries } from '../gateways/gateway-entries.ts'
import type { EntryKindName } from '../kind.ts'
import { ChangedEntries } from '../store/changed-entries.ts'
import type { EntryWrite } from '../store/commit-plan.ts'
import { ENTRY, entryId } from '../store/entry-records.ts'
import type { EntryReads } from '../store/recorded-reads.ts'
import { ReferenceIndex } from '../store/reference-index.ts'
import type { StoredEntry } from '../stored-entry.ts'

export interface ReconciliationContext {
  readonly namespace: string
  /** RFC 3339. */
  readonly now: string
  /** The index of the commit. */
  readonly index: number
  readonly entries: GatewayEntries
  readonly references: ReferenceIndex
  readonly stored: (kind: EntryKindName, name: string) => StoredEntry | undefined
}

export const reconciliationContext = (
  reads: EntryReads,
  { namespace, now, index }: Pick<ReconciliationContext, 'namespace' | 'now' | 'index'>,
): ReconciliationContext => ({
  namespace,
  now,
  index,
  entries: new ChangedEntries(reads, namespace, new Map()),
  references: new ReferenceIndex(reads, namespace),
  stored: (kind, name) => reads.get(ENTRY, entryId(namespace, kind, name)),
})

export interface ReconciliationPlan {
  readonly writes: readonly EntryWrite[]
  /** Jobs to schedule in the same commit. */
  readonly jobs: readonly string[]
}

export const EMPTY_PLAN: ReconciliationPlan = { writes: [], jobs: [] }
