/** Plans the commit for entries: their records, their references and the resulting jobs. */
import { KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import type { EntryKindName, NormalizedEntry } from '../kind.ts'
import { scheduleJob } from '../reconciling/jobs.ts'
import { preparedEntry, type StoredEntry } from '../stored-entry.ts'
import { ENTRY, segmentOf } from './entry-records.ts'
import { type IndexChange, indexChange, writeIndex, writesOf } from './reference-index.ts'

/** The maximum number of records in a plan. Not included are the index counter and the guards of folders, which the commit also writes. */
const MAX_WRITES = 100

export interface EntryWrite {
  readonly kind: EntryKindName
  readonly name: string
  /** The entry as it is stored, with the index that this commit assigns to it. Undefined if the commit deletes the entry. */
  readonly stored: StoredEntry | undefined
  /** The ids of the references before and after the change. */
  readonly targets: readonly [before: readonly string[], after: readonly string[]]
}

/** A change of an entry. `before` or `after` is undefined if the entry does not exist before or after the change. */
export interface EntryChange {
  readonly kind: EntryKindName
  readonly name: string
  readonly before: StoredEntry | undefined
  readonly after: NormalizedEntry | undefined
}

/** @param targets The ids of the references before and after the change. @param index The index of the commit. */
export function* entryWrite(
  { kind, name, before, after }: EntryChange,
  targets: EntryWrite['targets'],
  index: number,
): Steps<EntryWrite> {
  const made = after && { ...after, CreateIndex: before?.CreateIndex ?? index, ModifyIndex: index }
  return { kind, name, stored: made && (yield* preparedEntry(made)), targets }
}

interface PlannedWrite {
  readonly write: EntryWrite
  readonly index: IndexChange
}

/** The content of a commit. */
export interface CommitPlan {
  readonly writes: readonly PlannedWrite[]
  /** The reconciliation jobs to schedule. */
  readonly jobs: readonly string[]
}

/** @throws KernelError 413 if one commit cannot contain all writes. */
export function planWrites(writes: readonly EntryWrite[], jobs: readonly string[]): CommitPlan {
  const planned = writes.map((write): PlannedWrite => ({ write, index: indexChange(...write.targets) }))
  const count = planned.reduce((sum, { index }) => sum + 1 + writesOf(index), jobs.length)
  if (count > MAX_WRITES) throw tooMany(count)
  return { writes: planned, jobs }
}

export function writePlan(tx: ConfigTx, namespace: string, { writes, jobs }: CommitPlan): void {
  if (writes.length > 0) nextIndex(tx, 'config-entries')
  else nextIndex(tx)
  for (const { write, index } of writes) {
    const own = `${write.kind}/${segmentOf(write.name)}`
    writeIndex(tx, namespace, own, index)
    if (write.stored) tx.put(ENTRY, `${namespace}/${own}`, write.stored)
    else tx.delete(ENTRY, `${namespace}/${own}`)
  }
  for (const job of jobs) scheduleJob(tx, job)
}

const tooMany = (count: number): KernelError =>
  new KernelError(
    'ERR_REQUEST_TOO_LARGE',
    `body: the entries need ${count} records, but one commit can write at most ${MAX_WRITES}; send fewer entries at once`,
  )
