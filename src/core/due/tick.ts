/**
 * Runs the due background work of this process once.
 */

import type { MaybePromise } from '../base/maybe-promise.ts'
import type { LongWorkOptions } from '../base/progress.ts'
import type { EventPlace } from '../contract/event.ts'
import { LANES, type Lane } from '../contract/lane.ts'
import type { Call, CallBase } from '../contract/tx.ts'
import type { DueEntry } from '../transaction/due-entry.ts'
import type { Host } from '../transaction/host.ts'
import type { Fence, Keyspace } from '../transaction/keyspace.ts'
import { transactAndEnd } from '../transaction/transact.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { claimKeys, type LaneClaims } from './claims.ts'
import { type FailedItem, failedItem, reportItem } from './failed-item.ts'
import { filledLanes, laneEntries } from './lane-entries.ts'
import { LaneSlots, type TickRun } from './lane-slots.ts'

/**
 * The options of a tick. In progress reports, `done` is the number of items that ran, including failed ones. There is no total, because
 * items create new items.
 */
export interface TickOptions extends LongWorkOptions {
  /** The maximum number of items to run. Default: 1,000. */
  readonly limit?: number
}

export interface TickResult {
  /** The number of items that ran successfully. */
  readonly done: number
  /** The items that failed. Their work is tried again in a later tick. */
  readonly failed: readonly FailedItem[]
  /** Whether more items are due: either `limit` was reached, or another process works on them. */
  readonly more: boolean
  /** When the next item is due, in milliseconds since the epoch. Undefined if no item is scheduled. */
  readonly nextDueAt: number | undefined
}

/** Runs the work of a due item, which is an entry of the due index, the stored list of background work ordered by time. */
export interface DueWorker<C extends CallBase = Call> {
  readonly keyspace: Keyspace
  readonly call: C
  /**
   * Set if the mount was removed, so that all records of the mount must be deleted. `all`: this is the last work of the mount, and its
   * commit deletes the mount's claims on all lanes. `own`: the commit deletes only the mount's claim on the lane of this item. If another
   * process has just done the work, so that the due item no longer exists, `all` has the same effect as `own`.
   */
  readonly ending?: 'all' | 'own'
  /**
   * Called in the transaction that deletes the due item. Returns the work to do in an outside system after the commit. Returns `more` if
   * `ending` is set but the work is not finished; the commit then keeps the claims.
   */
  readonly run: (tx: Transaction<C>, id: string) => AfterCommit | 'more' | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: no other type accepts every worker, because `C` occurs in members and in parameters.
export type AnyWorker = DueWorker<any>

/**
 * Work in an outside system after the commit. The commit contains an intent, a record that this work has begun, so that another process can
 * finish the work if this process stops.
 */
type AfterCommit = () => Promise<unknown>

interface TickParts {
  readonly host: Host
  readonly claims: LaneClaims
  /** Returns the worker of a due item. Undefined if nothing can run the item any more; the tick then deletes the due item. */
  readonly worker: (entry: DueEntry) => MaybePromise<AnyWorker | undefined>
  /** Returns the path of the item's mount, and of the mount's namespace. */
  readonly eventPlaceOf: (mount: string) => EventPlace
}

const DEFAULT_LIMIT = 1000

const PAGE = 64

/**
 * Runs a tick. Rejects with the signal's reason, or with an error of the storage or of `onProgress`, but only after all lanes have ended.
 */
export async function tick(parts: TickParts, options: TickOptions = {}): Promise<TickResult> {
  const run: TickRun = {
    left: options.limit ?? DEFAULT_LIMIT,
    done: 0,
    failed: [],
    more: false,
    busy: false,
    skipped: new Set(),
    broken: false,
  }
  let stop: (() => void) | undefined
  const pass = async (): Promise<readonly (number | undefined)[]> => {
    const filled = await filledLanes(parts.host.store)
    if (filled.length > 0) stop ??= parts.claims.keep()
    const lanes = filled.map((lane) =>
      runLane(parts, lane, run, options).catch((error: unknown) => {
        run.broken = true
        throw error
      }),
    )
    // Wait for all lanes even after an error, so that no work runs after the tick has ended.
    await Promise.allSettled(lanes)
    return Promise.all(lanes)
  }
  let done: number
  let next: readonly (number | undefined)[]
  try {
    do {
      done = run.done
      next = await pass()
      // Repeat, because an item of one lane may have created items for another lane that had already ended.
    } while (run.done > done && !run.more)
  } finally {
    stop?.()
  }
  const times = next.filter((at) => at !== undefined)
  return {
    done: run.done,
    failed: run.failed,
    more: run.more || run.busy,
    nextDueAt: times.length > 0 ? Math.min(...times) : undefined,
  }
}

/**
 * Runs the items of a lane, ordered by time, as slots become free. An item that waits for an outside system occupies only one slot. Repeats
 * as long as items create new items. Returns the time at which the next item is due.
 */
async function runLane(parts: TickParts, lane: Lane, run: TickRun, options: TickOptions): Promise<number | undefined> {
  const { store, clock } = parts.host
  let hasRun = false
  /** The first items of the lane, if none has changed since they were read. */
  let current: readonly DueEntry[] | undefined
  const slots = new LaneSlots(LANES[lane].concurrency, (entry) => runOne(parts, entry, run), options, run)
  try {
    for (let after: string | undefined; !run.more && !run.broken; ) {
      const found = await laneEntries(store, lane, PAGE, after)
      // Read the clock again for each page, so that items that became due during this tick also run in it.
      const now = clock.now()
      for (const entry of found) {
        if (entry.at > now || run.skipped.has(entry.key) || slots.has(entry)) continue
        options.signal?.throwIfAborted()
        if (run.left <= 0) run.more = true
        else {
          hasRun = true
          await slots.take(entry)
        }
        if (run.more || run.broken) break
      }
      const last = found.at(-1)
      if (last && found.length === PAGE && last.at <= now) after = last.name
      else if (await slots.changed())
        // Begin again, because the item may have created new items anywhere, even before items that this tick has already passed.
        after = undefined
      else {
        if (after === undefined && (found.length === 0 || !hasRun)) current = found
        break
      }
    }
  } finally {
    await slots.empty()
  }
  slots.check()
  const [next] = current ?? (await laneEntries(store, lane, 1))
  return next?.at
}

/** Runs an item. Returns false if its entry in the due index may still exist. */
async function runOne(parts: TickParts, entry: DueEntry, run: TickRun): Promise<boolean> {
  run.left--
  const { failures } = parts.host
  const before = failures.of(entry.lane, entry.mount, entry.id)
  try {
    const fence = await parts.claims.acquire(entry.mount, entry.lane)
    if (!fence) {
      run.busy = true
      return false
    }
    const { outcome, rest } = await runUnder(parts, entry, fence)
    // The commit has already deleted the due item. If this work fails, a process finishes it later, because the commit also stored an
    // intent.
    await rest?.()
    if (outcome === 'done') run.done++
    if (before) failures.done(entry.lane, entry.mount, entry.id, before)
    if (outcome !== 'lost') return true
    parts.claims.lost(fence)
    run.busy = true
    return false
  } catch (error) {
    const failed = failedItem(entry.lane, entry.id, error)
    run.failed.push(failed)
    reportItem(parts.host, failed, { ...parts.eventPlaceOf(entry.mount), uuid: entry.mount }, { due: entry.at })
    return false
  }
}

/**
 * The outcome of an item. `done`: this process has finished the item. `gone`: the item was rescheduled or finished by another process, or
 * there is no worker for it. `lost`: another process now has the claim on this lane of the mount.
 */
type ItemOutcome = 'done' | 'gone' | 'lost'

interface ItemResult {
  readonly outcome: ItemOutcome
  readonly rest?: AfterCommit | undefined
  /** Whether the commit deleted claims. */
  readonly released?: boolean
}

async function runUnder(parts: TickParts, entry: DueEntry, fence: Fence): Promise<ItemResult> {
  const worker = await parts.worker(entry)
  if (!worker) {
    const verdict = await parts.host.store.commit([
      { op: 'del', key: entry.key },
      { op: 'check', key: fence.key, expect: fence.version },
    ])
    return { outcome: verdict.ok ? 'gone' : 'lost' }
  }
  const { value } = await transactAndEnd(parts.host, worker.keyspace, worker.call, 'write', (run): ItemResult => {
    if (run.version(fence.key) !== fence.version) return { outcome: 'lost' }
    const release = (keys: readonly string[]): void => {
      for (const key of keys) run.deleteKey(key)
    }
    if (run.version(entry.key) === 0) {
      if (worker.ending) release(claimKeys(entry.mount, [entry.lane]))
      return { outcome: 'gone', released: worker.ending !== undefined }
    }
    run.deleteKey(entry.key)
    const rest = worker.run(run, entry.id)
    if (rest === 'more' || !worker.ending) return { outcome: 'done', rest: rest === 'more' ? undefined : rest }
    release(claimKeys(entry.mount, worker.ending === 'all' ? undefined : [entry.lane]))
    return { outcome: 'done', rest, released: true }
  })
  if (value.released) parts.claims.forget(entry.mount)
  return value
}
