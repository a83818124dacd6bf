/**
 * The reads, writes and events of one run of a transaction. The next run begins with an empty draft.
 */
import { EMPTY } from '../base/bytes.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import type { PendingEvent } from '../contract/event.ts'
import { withFormat } from '../contract/record-kind.ts'
import { NEEDS_WRITE } from '../contract/signals.ts'
import type { Op, Revision } from '../storage/port.ts'
import { CreatedKeys } from './created-keys.ts'
import { checkKey } from './keys.ts'
import type { Fence } from './keyspace.ts'
import type { WriteSet } from './pending-commit.ts'
import { guardOf, isDeletion, opsOf, type PendingWrite } from './pending-writes.ts'
import type { RecordLimits } from './record-limits.ts'
import type { Stage } from './staging.ts'
import type { Store } from './store.ts'

export type RunMode = 'read' | 'write'

export class TransactionDraft implements WriteSet {
  readonly mode: RunMode
  readonly reads = new Map<string, Revision>()
  readonly createdKeys = new CreatedKeys()
  readonly evictedOwners: string[] = []
  readonly warnings: string[] = []
  /** The events of the run. They are published after the commit. */
  readonly events: PendingEvent[] = []
  /** Secrets that are stored in earlier commits, because they are too many for one commit. See staging.ts. */
  stage: Stage | undefined
  /** The records to which the run is restricted. If undefined, the run may use all records of its keyspaces. */
  limits: RecordLimits | undefined
  writes = new Map<string, PendingWrite>()
  readonly #store: Store

  constructor(store: Store, mode: RunMode) {
    this.#store = store
    this.mode = mode
  }

  /** If this run is a read, ends it. The transaction then runs again as a write. */
  requireWriteMode(): void {
    if (this.mode === 'read') throw NEEDS_WRITE
  }

  write(key: string, write: PendingWrite, guarded = false): void {
    this.requireWriteMode()
    checkKey(key)
    this.#store.commits.checkWritable(key)
    this.limits?.checkWrite(key, write.record?.value)
    this.#store.checkSize(write.bytes?.length ?? write.text?.value.length ?? 0)
    this.writes.set(key, write)
    const isUpdate = !isDeletion(write) && (this.reads.get(key) ?? 0) > 0
    if (guarded && write.record && !isUpdate) this.writes.set(guardOf(write.record.table.prefix), { bytes: withFormat(1, EMPTY) })
  }

  /**
   * Moves an item of the due index, which lists background work by its time, from the time `from` to the time `to`. If `from` is undefined,
   * there was no item; if `to` is undefined, the item is removed. @param at Returns the key of the item for a given time.
   */
  due(at: (time: number) => string, from: number | undefined, to: number | undefined): void {
    // If the time is unchanged, write the item only if this run of the transaction has deleted it.
    if (from === to && (to === undefined || !this.#deletes(at(to)))) return
    if (from !== undefined) this.write(at(from), { bytes: undefined })
    if (to !== undefined) this.write(at(to), { bytes: withFormat(1, EMPTY) })
  }

  #deletes(key: string): boolean {
    const write = this.writes.get(key)
    return write !== undefined && isDeletion(write)
  }

  /** Runs `body`; if it throws, its writes, events and created keys are dropped. */
  attempt<T>(body: () => T): T {
    const [writes, evicted, events] = [new Map(this.writes), this.evictedOwners.length, this.events.length]
    try {
      return body()
    } catch (thrown) {
      this.writes = writes
      this.evictedOwners.length = evicted
      this.events.length = events
      this.createdKeys.keepOnly(writes)
      throw thrown
    }
  }

  /** Makes the commit depend on the staged secrets, and cancels the scheduled job that would delete them. */
  keepStaged({ entry }: Stage, version: Revision): void {
    this.reads.set(entry, version)
    this.writes.set(entry, { bytes: undefined })
  }

  /** Whether the commit changes a record that the run has read. */
  changes(key: string): boolean {
    return this.reads.has(key) && this.writes.has(key)
  }

  /** Removes the expectations about records that the commit does not change. For a run whose reads were verified before the commit. */
  dropReadExpectations(): void {
    for (const key of this.reads.keys()) if (!this.writes.has(key)) this.reads.delete(key)
  }

  /**
   * Returns all operations of the commit: the writes, the checks of the versions that were read, and the checks of the fences, which are
   * versions that every commit in the keyspaces expects.
   */
  ops(fences: readonly Fence[]): MaybePromise<Op[]> {
    return opsOf(this.#store, this.writes, this.reads, fences)
  }
}
