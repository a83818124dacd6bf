/**
 * The failed background work that this kernel knows of, by item. The list is bounded and only in memory, because it only informs operators.
 */
import { parseRfc3339, rfc3339 } from '../base/clock.ts'
import type { FailedWork, PendingEvent } from '../contract/event.ts'
import { LANES, type Lane } from '../contract/lane.ts'
import { dueKey } from './due-entry.ts'
import type { Store } from './store.ts'

/** A failure as `status()` shows it. */
export interface ShownFailure extends FailedWork {
  /** The namespace's path; empty for the root namespace. */
  readonly namespace: string
  /** The mount's path; empty for the kernel's own work. */
  readonly mount: string
  /** RFC 3339. */
  readonly failed_at: string
}

interface RecordedFailure extends ShownFailure {
  /**
   * The storage keys under which the due index, the stored list of background work, may have the item. The item is done when none of these
   * keys exists any more. Empty for work that is not in the due index.
   */
  readonly entries: readonly string[]
}

const MAX_FAILURES = 1000
const MAX_SHOWN_FAILURES = 100

const itemKey = (lane: string, mount: string, id: string): string => `${lane}/${mount}/${id}`

export class Failures {
  readonly #known = new Map<string, RecordedFailure>()

  /**
   * @param due The time under which the due index lists the failed work, in milliseconds. Default: the time of the next attempt. Pass it if
   * the work is tried again without being moved to the time of the next attempt.
   */
  note({ at, namespace, mount, uuid = '', data }: PendingEvent<'work.failed'>, due = parseRfc3339(data.next_attempt)): void {
    const item = itemKey(data.lane, uuid, data.id)
    const entries =
      due !== undefined && Object.hasOwn(LANES, data.lane)
        ? (['r', 'l'] as const).map((keyClass) => dueKey(keyClass, data.lane as Lane, due, uuid, data.id))
        : []
    this.#known.delete(item)
    if (this.#known.size >= MAX_FAILURES) this.#known.delete(this.#known.keys().next().value as string)
    this.#known.set(item, { ...data, namespace, mount, failed_at: rfc3339(at), entries })
  }

  /** The last failure of an item. */
  of(lane: string, uuid: string, id: string): FailedWork | undefined {
    return this.#known.size > 0 ? this.#known.get(itemKey(lane, uuid, id)) : undefined
  }

  /**
   * Removes the failure of an item after a run of the item has ended. `before` is the failure that was known before the run. If the run has
   * reported another failure, that failure is kept.
   */
  done(lane: string, uuid: string, id: string, before = this.of(lane, uuid, id)): void {
    if (before && this.of(lane, uuid, id) === before) this.#known.delete(itemKey(lane, uuid, id))
  }

  /**
   * Returns the newest 100 failures, newest first, without reading the store. The result may contain failures whose work another process
   * has completed.
   */
  known(): readonly ShownFailure[] {
    return [...this.#known.values()]
      .reverse()
      .slice(0, MAX_SHOWN_FAILURES)
      .map(({ entries: _, ...shown }) => shown)
  }

  /** Returns the newest 100 failures, newest first. Forgets failures whose work has since been completed by any process. */
  async list(store: Pick<Store, 'versions'>): Promise<readonly ShownFailure[]> {
    const known = [...this.#known].reverse().slice(0, MAX_SHOWN_FAILURES)
    const versions = await store.versions(known.flatMap(([, { entries }]) => entries))
    let at = 0
    return known.flatMap(([item, { entries, ...shown }]) => {
      const present = entries.filter(() => versions[at++] !== 0).length > 0
      if (present || entries.length === 0) return [shown]
      this.#known.delete(item)
      return []
    })
  }
}
