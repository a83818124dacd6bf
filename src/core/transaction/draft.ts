/**
 * The reads, writes and events of one run. The next run begins with an empty draft.
 */
import { EMPTY } from '../base/bytes.ts'
import type { Eventually } from '../base/eventually.ts'
import type { PendingEvent } from '../contract/event.ts'
import { withFormat } from '../contract/record-kind.ts'
import { NEEDS_WRITE } from '../contract/signals.ts'
import type { Op, Revision } from '../storage/port.ts'
import type { Cargo } from './departure.ts'
import { checkKey } from './keys.ts'
import { MadeKeys } from './made-keys.ts'
import type { Fence } from './place.ts'
import type { RecordLimits } from './record-limits.ts'
import type { Stage } from './staging.ts'
import type { Store } from './store.ts'
import { guardOf, opsOf, removes, type Write } from './writes.ts'

export type Mode = 'read' | 'write'

export class Draft implements Cargo {
  readonly mode: Mode
  readonly reads = new Map<string, Revision>()
  readonly made = new MadeKeys()
  readonly forgotten: string[] = []
  readonly warnings: string[] = []
  /** Published after the commit. */
  readonly events: PendingEvent[] = []
  /** Secrets to store before the commit. */
  stage: Stage | undefined
  /** Undefined: no limits besides the keyspaces of the run. */
  limits: RecordLimits | undefined
  writes = new Map<string, Write>()
  readonly #store: Store

  constructor(store: Store, mode: Mode) {
    this.#store = store
    this.mode = mode
  }

  /** Ends the run if it is a read; it is then repeated as a write. */
  mustWrite(): void {
    if (this.mode === 'read') throw NEEDS_WRITE
  }

  write(key: string, write: Write, guarded = false): void {
    this.mustWrite()
    checkKey(key)
    this.#store.commits.checkWritable(key)
    this.limits?.checkWrite(key, write.record?.value)
    this.#store.checkSize(write.bytes?.length ?? write.text?.value.length ?? 0)
    this.writes.set(key, write)
    const isUpdate = !removes(write) && (this.reads.get(key) ?? 0) > 0
    if (guarded && write.record && !isUpdate) this.writes.set(guardOf(write.record.table.prefix), { bytes: withFormat(1, EMPTY) })
  }

  /** Moves work in the due index; undefined means not due. @param at Returns the key of the entry for a time. */
  due(at: (time: number) => string, from: number | undefined, to: number | undefined): void {
    // If the due time is unchanged, rewrite the entry only if this run deleted it.
    if (from === to && (to === undefined || !this.#takes(at(to)))) return
    if (from !== undefined) this.write(at(from), { bytes: undefined })
    if (to !== undefined) this.write(at(to), { bytes: withFormat(1, EMPTY) })
  }

  #takes(key: string): boolean {
    const write = this.writes.get(key)
    return write !== undefined && removes(write)
  }

  /** Runs `body`; if it throws, its writes, events and created keys are dropped. */
  attempt<T>(body: () => T): T {
    const [writes, forgotten, events] = [new Map(this.writes), this.forgotten.length, this.events.length]
    try {
      return body()
    } catch (thrown) {
      this.writes = writes
      this.forgotten.length = forgotten
      this.events.length = events
      this.made.keepOnly(writes)
      throw thrown
    }
  }

  /** Makes the commit depend on the staged secrets, and keep them by deleting their clean-up entry. */
  keepStaged({ entry }: Stage, version: Revision): void {
    this.reads.set(entry, version)
    this.writes.set(entry, { bytes: undefined })
  }

  /** Whether the commit changes a record that the run has read. */
  changes(key: string): boolean {
    return this.reads.has(key) && this.writes.has(key)
  }

  /** Removes the expectations about records that the commit does not change. */
  expectLess(): void {
    for (const key of this.reads.keys()) if (!this.writes.has(key)) this.reads.delete(key)
  }

  /** The ops of the commit: writes, expectations of what was read, and fences. */
  ops(fences: readonly Fence[]): Eventually<Op[]> {
    return opsOf(this.#store, this.writes, this.reads, fences)
  }
}
