/**
 * Writes and deletes entries of a namespace in one commit, judged as a whole.
 */
import type { Steps } from '../../../core/base/steps.ts'
import type { AclCaller } from '../../acl/acl-caller.ts'
import type { ConfigTx } from '../../call.ts'
import { readCounter } from '../../index/counter.ts'
import { type Change, isJudged, judgeChange } from '../graph/judge-change.ts'
import type { Entry } from '../kind.ts'
import { jobsAfter } from '../reconciling/reconcile.ts'
import { ChangedEntries } from '../store/changed-entries.ts'
import { entryId } from '../store/entry-records.ts'
import { type EntryChange, type EntryWrite, entryWrite, keepEntries, planWrites } from '../store/keep-entries.ts'
import { type Reads, stepsOver } from '../store/noted-reads.ts'
import { ReferenceIndex, targetsOf } from '../store/reference-index.ts'
import { refusalFor } from './access.ts'

export interface ProposedChange extends EntryChange {
  /** What it would refer to. */
  readonly targets: readonly string[]
}

export interface EntriesToWrite {
  /** Refusals tell the asker of no entries that they may not read. */
  readonly asker: AclCaller
  readonly namespace: string
  readonly changes: readonly ProposedChange[]
  /** Validate everything and write nothing. */
  readonly dryRun: boolean
}

/**
 * @throws KernelError 400 where the entries would contradict each other, 413 where they are too many for a commit.
 */
export function writeEntries(tx: ConfigTx, { asker, namespace, changes, dryRun }: EntriesToWrite): void {
  if (changes.length === 0) return
  const index = readCounter(tx).index + 1
  const writes = judgedWrites(tx, asker, namespace, changes, index)
  const plan = planWrites(writes, jobsAfter(tx, namespace, changes))
  if (!dryRun) keepEntries(tx, namespace, plan)
}

function judgedWrites(
  tx: ConfigTx,
  asker: AclCaller,
  namespace: string,
  changes: readonly ProposedChange[],
  index: number,
): readonly EntryWrite[] {
  try {
    return stepsOver(tx, 'entries: judge', function* (reads) {
      yield* judge(reads, namespace, changes)
      return yield* written(changes, index)
    })
  } catch (thrown) {
    throw refusalFor(asker, namespace, thrown)
  }
}

function* judge(reads: Reads, namespace: string, changes: readonly ProposedChange[]): Steps<void> {
  const changed = new Map<string, Entry | undefined>()
  for (const { kind, name, after } of changes) changed.set(entryId(namespace, kind, name), after)
  const judged = changes.flatMap(({ kind, name, before }) => (isJudged(kind) ? [{ kind, name, before } as Change] : []))
  yield* judgeChange(new ChangedEntries(reads, namespace, changed), new ReferenceIndex(reads, namespace), judged)
}

function* written(changes: readonly ProposedChange[], index: number): Steps<readonly EntryWrite[]> {
  const writes: EntryWrite[] = []
  for (const change of changes) {
    writes.push(yield* entryWrite(change, [yield* targetsOf(change.before), change.targets], index))
    yield
  }
  return writes
}
