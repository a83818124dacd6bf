/** Writes and deletes entries of a namespace in one commit, after validating the resulting state. */
import type { Steps } from '../../../core/base/steps.ts'
import { readSteps } from '../../../core/transaction/load-all.ts'
import type { AclCaller } from '../../acl/acl-caller.ts'
import type { ConfigTx } from '../../call.ts'
import { readCounter } from '../../index/counter.ts'
import { type CheckedChange, isChecked, validateChange } from '../graph/validate-change.ts'
import type { NormalizedEntry } from '../kind.ts'
import { jobsAfter } from '../reconciling/reconcile.ts'
import { ChangedEntries } from '../store/changed-entries.ts'
import { type CommitPlan, type EntryChange, type EntryWrite, entryWrite, planWrites, writePlan } from '../store/commit-plan.ts'
import { entryId } from '../store/entry-records.ts'
import { type EntryReads, stepsWithReads } from '../store/recorded-reads.ts'
import { ReferenceIndex, targetsOf } from '../store/reference-index.ts'
import { visibleRefusal } from './access.ts'

export interface ProposedChange extends EntryChange {
  /** The ids of the entries and services that the entry refers to. */
  readonly targets: readonly string[]
}

export interface EntryWriteOptions {
  readonly namespace: string
  /** Whether to validate everything but write nothing. */
  readonly dryRun: boolean
}

/** Returns the changes to make. Undefined if the request must change nothing, because the entry has another version than it expects. */
type FindChanges = (reads: EntryReads) => Steps<readonly ProposedChange[] | undefined>

/**
 * Finding the changes and validating them is one computation, so that a transaction whose records are in memory runs at most twice.
 * @param aclCaller Decides which entries the caller may read. Error messages mention no other entries.
 * @returns Whether `find` has returned changes.
 * @throws KernelError 400 if entries would contradict each other, 413 if there are too many for one commit.
 */
export function writeEntries(
  tx: ConfigTx,
  aclCaller: AclCaller,
  { namespace, dryRun }: EntryWriteOptions,
  find: FindChanges,
): boolean {
  const index = readCounter(tx).index + 1
  try {
    const plan = stepsWithReads(tx, 'entries: write', (reads) => planOf(reads, namespace, find, index))
    if (plan && plan.writes.length > 0 && !dryRun) writePlan(tx, namespace, plan)
    return plan !== undefined
  } catch (thrown) {
    throw visibleRefusal(aclCaller, namespace, thrown)
  }
}

function* planOf(reads: EntryReads, namespace: string, find: FindChanges, index: number): Steps<CommitPlan | undefined> {
  const changes = yield* find(reads)
  if (!changes || changes.length === 0) return changes && { writes: [], jobs: [] }
  yield* validateChanges(reads, namespace, changes)
  const jobs = yield* readSteps(() => jobsAfter(reads, namespace, changes))
  return planWrites(yield* entryWrites(changes, index), jobs)
}

function* validateChanges(reads: EntryReads, namespace: string, changes: readonly ProposedChange[]): Steps<void> {
  const changed = new Map<string, NormalizedEntry | undefined>()
  for (const { kind, name, after } of changes) changed.set(entryId(namespace, kind, name), after)
  const checked = changes.flatMap(({ kind, name, before }) => (isChecked(kind) ? [{ kind, name, before } as CheckedChange] : []))
  yield* validateChange(new ChangedEntries(reads, namespace, changed), new ReferenceIndex(reads, namespace), checked)
}

function* entryWrites(changes: readonly ProposedChange[], index: number): Steps<readonly EntryWrite[]> {
  const writes: EntryWrite[] = []
  for (const change of changes) {
    writes.push(yield* entryWrite(change, [yield* targetsOf(change.before), change.targets], index))
  }
  return writes
}
