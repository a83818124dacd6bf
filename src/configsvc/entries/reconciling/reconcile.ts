/**
 * Reconciles gateways and routes after a change, as background work. Commits have a bounded size, and each one schedules the remaining
 * work. A run that finds nothing to change writes nothing.
 */
import { rfc3339 } from '../../../core/base/clock.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import type { ConfigTx } from '../../call.ts'
import { readCounter } from '../../index/counter.ts'
import type { EntryKindName } from '../kind.ts'
import { planWrites, writePlan } from '../store/commit-plan.ts'
import { ENTRY, nameOfSegment } from '../store/entry-records.ts'
import { type EntryReads, stepsWithReads } from '../store/recorded-reads.ts'
import { entryJob } from './jobs.ts'
import { planEntry } from './plan-entry.ts'
import { planGateway } from './plan-gateway.ts'
import { type ReconciliationContext, type ReconciliationPlan, reconciliationContext } from './reconciliation-context.ts'
import { reconciliationRuleOf } from './reconciliation-rules.ts'

interface ChangedEntry {
  readonly kind: EntryKindName
  readonly name: string
}

/** Returns the jobs to schedule when entries change: one for each changed entry on which an existing entry may depend. */
export function jobsAfter(tx: EntryReads, namespace: string, changes: readonly ChangedEntry[]): readonly string[] {
  const isThere = (kind: EntryKindName) => tx.list(ENTRY, { prefix: `${namespace}/${kind}/`, limit: 1 }).length > 0
  const kinds = [...new Set(changes.flatMap(({ kind }) => reconciliationRuleOf(kind)?.requiredKinds ?? []))]
  const found = loadAll(kinds, isThere)
  const there = new Set(kinds.filter((_, i) => found[i]))
  const matters = ({ kind }: ChangedEntry): boolean => {
    const row = reconciliationRuleOf(kind)
    return row !== undefined && (row.requiredKinds.length === 0 || row.requiredKinds.some((one) => there.has(one)))
  }
  return changes.filter(matters).map(({ kind, name }) => entryJob(namespace, kind, name))
}

/** Runs a job that handles the effects of a changed entry. @param about The id that `entryJob` returned, without the first segment. */
export function reconcileEntry(tx: ConfigTx, about: string): void {
  const [namespace = '', kind = '', segment = '', ...after] = about.split('/')
  const cursor = after.length > 0 ? after.join('/') : undefined
  run(tx, namespace, (mesh) => planEntry(mesh, kind as EntryKindName, nameOfSegment(segment), cursor))
}

/** Runs a job that computes what a gateway serves. @param about The id that `gatewayJob` returned, without the first segment. */
export function reconcileBound(tx: ConfigTx, about: string): void {
  const [namespace = '', segment = ''] = about.split('/')
  run(tx, namespace, (mesh) => planGateway(mesh, nameOfSegment(segment)))
}

function run(tx: ConfigTx, namespace: string, plan: (mesh: ReconciliationContext) => Steps<ReconciliationPlan>): void {
  // Read the counter first, because every commit changes it: this commit then fails if any other commit was applied in between.
  const index = readCounter(tx).index + 1
  const now = rfc3339(tx.now)
  const { writes, jobs } = stepsWithReads(tx, 'entries: reconcile', function* (reads) {
    // Without this pause, a tick on a synchronous storage would process all scheduled jobs without returning to the event loop.
    yield
    return yield* plan(reconciliationContext(reads, { namespace, now, index }))
  })
  writePlan(tx, namespace, planWrites(writes, jobs))
}
