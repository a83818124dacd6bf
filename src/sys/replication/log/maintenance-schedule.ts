/** Decides when the Merkle tree needs maintenance. */
import type { Clock } from '../../../core/base/clock.ts'
import type { SetMember } from '../membership.ts'
import { Schedule } from '../schedule.ts'
import { LOG_PAGE_ENTRIES } from './log-pages.ts'

/**
 * The interval at which background work folds new log entries into the tree. Callers that need the root at the end of the log, such as the
 * status, fold the log themselves.
 */
const FOLD_INTERVAL_MS = 5000

/** The interval at which old log entries are removed, and at which the tree is maintained although the log has no new entries. */
const MAX_UPKEEP_INTERVAL_MS = 60_000

/** A state in which the tree contains the whole log. */
export interface LevelTree {
  /** The keys of the set; undefined if the cluster is not in a set. */
  readonly keys: SetMember['keys'] | undefined
  /** The newest log entry. */
  readonly entry: number
  /** The index up to which the primary's records were applied. */
  readonly applied: number | undefined
}

export class MaintenanceSchedule {
  readonly #folding: Schedule
  readonly #upkeep: Schedule
  readonly #truncation: Schedule
  /** The state when the tree last contained the whole log; undefined if the tree must be examined. */
  #level: LevelTree | undefined

  /** @param maxAgeMs The maximum age of log entries. */
  constructor(clock: Clock, maxAgeMs: number) {
    const upkeepMs = Math.min(MAX_UPKEEP_INTERVAL_MS, maxAgeMs)
    this.#folding = new Schedule(clock, FOLD_INTERVAL_MS)
    this.#upkeep = new Schedule(clock, upkeepMs)
    this.#truncation = new Schedule(clock, upkeepMs)
  }

  /** Whether the log has entries that the tree lacks, and they are many or the last run was a while ago; or whether upkeep is due. */
  isRunDue({ keys, entry, applied }: LevelTree): boolean {
    const level = this.#level
    if (!level || level.keys !== keys) return true
    const backlog = entry - level.entry
    if (backlog === 0 && level.applied === applied) return this.#upkeep.isDue
    return backlog >= LOG_PAGE_ENTRIES || this.#folding.isDue
  }

  /** Notes that a run begins. Until {@link endRun}, the next run is due at once. */
  beginRun(): void {
    this.#folding.begin()
    this.#upkeep.begin()
    this.#level = undefined
  }

  /** Notes that the tree contains the whole log and that nothing is left to do. */
  endRun(level: LevelTree): void {
    this.#level = level
  }

  /** Makes the next run due at once, because the tree may have been changed by other kernels. */
  expedite(): void {
    this.#level = undefined
  }

  get isTruncationDue(): boolean {
    return this.#truncation.isDue
  }

  /** Notes that the log is truncated now. */
  beginTruncation(): void {
    this.#truncation.begin()
  }
}
