/**
 * Writes entries, with the index of what they refer to and the work that comes due with them, in one commit.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import type { ConfigTx } from '../../call.ts'
import { nextIndex } from '../../index/counter.ts'
import type { EntryKindName, NormalizedEntry } from '../kind.ts'
import { scheduleJob } from '../reconciling/jobs.ts'
import { preparedEntry, type StoredEntry } from '../stored-entry.ts'
import { ENTRY, segmentOf } from './entry-records.ts'
import { type IndexChange, indexChange, writeIndex, writesOf } from './reference-index.ts'

/** The rest of a commit is for the counter and for the guards of the folders. */
const MAX_WRITES = 100

export interface EntryWrite {
  readonly kind: EntryKindName
  readonly name: string
  /** With the index of this commit; undefined: it is deleted. */
  readonly stored: StoredEntry | undefined
  /** What it referred to, and what it refers to. */
  readonly targets: readonly [before: readonly string[], after: readonly string[]]
}

/** An entry that is changed: what it is now, and what it would be. Undefined: it is not there. */
export interface EntryChange {
  readonly kind: EntryKindName
  readonly name: string
  readonly before: StoredEntry | undefined
  readonly after: NormalizedEntry | undefined
}

/** @param targets What it referred to, and what it refers to. @param index That of the commit. */
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

/** What a commit is to hold. */
export interface CommitPlan {
  readonly writes: readonly PlannedWrite[]
  /** What there is to reconcile after it. */
  readonly jobs: readonly string[]
}

/** @throws KernelError 413 where one commit cannot hold all of it. */
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
    `body: takes ${count} records, and one commit at most ${MAX_WRITES}: send fewer entries at once`,
  )
