/** Writes the Status of an entry if it has changed. */
import type { Steps } from '../../../core/base/steps.ts'
import type { EntryStatus } from '../gateways/gateway-entries.ts'
import { sameValue } from '../same-entry.ts'
import { type EntryWrite, entryWrite } from '../store/commit-plan.ts'
import type { StoredEntry } from '../stored-entry.ts'
import type { ReconciliationContext } from './reconciliation-context.ts'

/** A write of a new Status changes no references, so the index of references needs no write. */
const SAME_TARGETS: EntryWrite['targets'] = [[], []]

export function* statusWrites(
  { index }: ReconciliationContext,
  before: StoredEntry,
  status: EntryStatus,
): Steps<readonly EntryWrite[]> {
  if (sameValue(before.Status, status)) return []
  const change = { kind: before.Kind, name: before.Name, before, after: { ...before, Status: status } }
  return [yield* entryWrite(change, SAME_TARGETS, index)]
}
