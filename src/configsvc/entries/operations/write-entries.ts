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

export interface EntriesToWrite {
  /** Decides which entries the caller may read. Error messages mention no other entries. */
  readonly aclCaller: AclCaller
  readonly namespace: string
  readonly changes: readonly ProposedChange[]
  /** Whether to validate everything but write nothing. */
  readonly dryRun: boolean
}

/** @throws KernelError 400 if entries would contradict each other, 413 if there are too many for one commit. */
export function writeEntries(tx: ConfigTx, { aclCaller, namespace, changes, dryRun }: EntriesToWrite): void {
  if (changes.length === 0) return
  const index = readCounter(tx).index + 1
  const plan = validatedPlan(tx, aclCaller, namespace, changes, index)
  if (!dryRun) writePlan(tx, namespace, plan)
}

function validatedPlan(
  tx: ConfigTx,
  aclCaller: AclCaller,
  namespace: string,
  changes: readonly ProposedChange[],
  index: number,
): CommitPlan {
  try {
    return stepsWithReads(tx, 'entries: validate', function* (reads) {
      yield* validateChanges(reads, namespace, changes)
      const jobs = yield* readSteps(() => jobsAfter(reads, namespace, changes))
      return planWrites(yield* entryWrites(changes, index), jobs)
    })
  } catch (thrown) {
    throw visibleRefusal(aclCaller, namespace, thrown)
  }
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
