/**
 * How old the kernel's in-memory state may be when other processes write to the same store.
 *
 * From time to time, this process requests the store's newest revision. When every commit up to that revision has been applied, the time at
 * which the request was sent becomes the reference time of the in-memory state. Because it is the time of the request, by the clock of this
 * process, neither a slow response nor a late change makes the state look newer than it is.
 *
 * The caches may be used for `stalenessMs` after the reference time. Then the next use requests the newest revision again. If the watch has
 * not delivered every commit up to that revision when the response arrives, the caches are dropped. While caches are in use, the revision
 * is requested in the background before they expire.
 */
import type { Clock } from '../../base/clock.ts'
import type { Wipeable } from '../../crypto/backend.ts'
import type { KeyCache } from '../../crypto/key-cache.ts'
import type { Change, Revision } from '../../storage/port.ts'
import { folderLength, type RecordCache } from '../cache.ts'
import type { Store } from '../store.ts'
import { Reactions } from './reactions.ts'

export interface FreshnessParts {
  readonly store: Store
  readonly clock: Clock
  readonly cache: RecordCache
  readonly keys: KeyCache<Wipeable>
  /** The maximum time in milliseconds for which caches are used without requesting the store's newest revision. */
  readonly stalenessMs: number
}

const NEVER = Number.NEGATIVE_INFINITY

export class Freshness {
  readonly stalenessMs: number
  /** Callbacks for changes of certain records. */
  readonly reactions = new Reactions()
  readonly #parts: FreshnessParts
  /** Whether other processes may write to the store. */
  readonly isShared: boolean
  #applied: Revision = 0
  #latest: Revision = 0
  /** The time at which the in-memory state was last known to include every commit of the store. */
  #asOf = NEVER
  /** The caches must not be used after this time. */
  #until = NEVER
  /** After this time, using the caches starts a renewal in the background. */
  #renewAt = NEVER
  /** The last time that was read from the clock. If the clock is set back, the caches can no longer be proven fresh. */
  #seen = NEVER
  /**
   * The newest revision that the last request returned, while commits up to that revision still have to be applied. Otherwise undefined.
   */
  #pendingRevision: { readonly requestedAt: number; readonly revision: Revision } | undefined
  #isRequesting = false
  /** Incremented whenever the caches become unusable. Responses to requests that were sent earlier are then ignored. */
  #round = 0
  #renewing: { readonly requestedAt: number; readonly round: number; readonly done: Promise<void> } | undefined
  #waiting: { readonly revision: Revision; readonly wake: () => void }[] = []

  constructor(parts: FreshnessParts) {
    this.#parts = parts
    this.stalenessMs = parts.stalenessMs
    this.isShared = parts.store.storage.caps.shared
  }

  /** Every commit up to this revision has been applied to the caches. */
  get applied(): Revision {
    return this.#applied
  }

  /** The newest revision that this kernel knows of. */
  get latest(): Revision {
    return this.#latest
  }

  /** The age of the in-memory state in milliseconds: infinite if it is unknown, 0 if no other process can write to the store. */
  get age(): number {
    if (!this.isShared) return 0
    const age = this.#parts.clock.now() - this.#asOf
    return age >= 0 ? age : Number.POSITIVE_INFINITY
  }

  /**
   * Whether the caches may be used now. On the hot path: two comparisons, no allocation.
   * @param now The current time, if the caller has already read the clock.
   */
  isFresh(now?: number): boolean {
    return !this.isShared || this.#isFreshAt(now ?? this.#parts.clock.now())
  }

  #isFreshAt(now: number): boolean {
    if (now < this.#seen) return this.#onClockSetBack(now)
    this.#seen = now
    return now < this.#renewAt || this.#isUsable(now)
  }

  /** Starts a renewal in the background if the caches are fresh, even if no request uses them. */
  renewInBackground(): void {
    if (this.isShared && this.isFresh()) this.#requestInBackground(this.#seen)
  }

  /**
   * Requests the store's newest revision, or shares a running request that began less than `stalenessMs` ago. When the promise resolves,
   * the reference time is the time at which that request began.
   * @throws KernelError 503 if the store does not answer.
   */
  renew(): Promise<void> {
    const now = this.#parts.clock.now()
    const running = this.#renewing
    if (running?.round === this.#round && now - running.requestedAt < this.stalenessMs) return running.done
    const renewing = { requestedAt: now, round: this.#round, done: this.#renew(now) }
    this.#renewing = renewing
    const clearRunning = () => {
      if (this.#renewing === renewing) this.#renewing = undefined
    }
    renewing.done.then(clearRunning, clearRunning)
    return renewing.done
  }

  /**
   * Sets the initial state. The caches contain nothing older than `revision`, which the store returned to a request at the time
   * `requestedAt`.
   */
  begin(revision: Revision, requestedAt: number): void {
    this.#advance(revision)
    this.#confirm(requestedAt)
  }

  /** Applies a change that the watch reported. */
  onReported(change: Change): void {
    this.#apply(change)
    this.#advance(change.revision)
  }

  /** Applies a commit that this kernel made outside of any transaction, so that the cached records of the changed keys are outdated. */
  onOwnCommit(change: Change): void {
    this.#apply(change)
    this.committed(change.revision)
  }

  /**
   * Drops the cached records and the cached encryption keys that the change affects. The record of an encryption key changes only if it is
   * deleted or replaced with the record of a primary, so every change makes the cached encryption key invalid.
   */
  #apply(change: Change): void {
    const { cache, keys } = this.#parts
    cache.apply(change)
    if (!change.keys) keys.clear()
    for (const key of change.keys ?? []) {
      const version = key.lastIndexOf('/') + 1
      keys.dropVersion(key.slice(folderLength(key), version - 1), Number(key.slice(version)))
    }
    if (this.reactions.note(change)) this.#react()
  }

  /**
   * Called when a commit of this kernel has been applied to the caches. `applied` advances only if no earlier commit of another process is
   * missing.
   */
  committed(revision: Revision): void {
    if (!this.isShared || revision === this.#applied + 1) this.#advance(revision)
    else this.#latest = Math.max(this.#latest, revision)
  }

  /** Resolves when every commit up to `revision` has been applied, or when `signal` is aborted. */
  waitForRevision(revision: Revision, signal: AbortSignal): Promise<void> {
    if (this.#applied >= revision || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const abort = (): void => {
        this.#waiting = this.#waiting.filter((waiter) => waiter.wake !== wake)
        resolve()
      }
      const wake = (): void => {
        signal.removeEventListener('abort', abort)
        resolve()
      }
      this.#waiting.push({ revision, wake })
      signal.addEventListener('abort', abort, { once: true })
    })
  }

  /**
   * Waits until all caches that are older than this call have expired. Then every kernel with the same staleness limit answers from the
   * records that were committed at the time of the call, or from newer ones. The function sleeps instead of reading the clock, so setting
   * the clock does not shorten the wait. It allows for clocks whose speeds differ by one percent.
   */
  async visibleEverywhere(signal: AbortSignal): Promise<void> {
    // One more millisecond, because a timer may fire a millisecond early.
    if (this.isShared && this.stalenessMs > 0) await this.#parts.clock.sleep(Math.ceil(this.stalenessMs * 1.01) + 1, signal)
  }

  #onClockSetBack(now: number): boolean {
    this.#seen = now
    this.#expire()
    return false
  }

  #isUsable(now: number): boolean {
    if (now >= this.#until) return false
    this.#requestInBackground(now)
    return true
  }

  #requestInBackground(now: number): void {
    // If the request or its response is lost, request the revision again before the caches expire.
    this.#renewAt = Math.min(now + this.stalenessMs / 4, this.#until)
    if (!this.#pendingRevision && !this.#isRequesting) {
      this.#isRequesting = true
      const clearRequesting = () => {
        this.#isRequesting = false
      }
      this.#requestAhead(now).then(clearRequesting, clearRequesting)
    }
  }

  async #requestAhead(requestedAt: number): Promise<void> {
    const round = this.#round
    const revision = await this.#parts.store.newestRevision()
    if (round !== this.#round) return
    if (this.#applied >= revision) this.#confirm(requestedAt)
    else this.#pendingRevision = { requestedAt, revision }
  }

  async #renew(requestedAt: number): Promise<void> {
    const round = this.#round
    const revision = await this.#parts.store.newestRevision()
    if (this.isShared && this.#applied < revision) this.#drop(revision)
    await this.reactions.done()
    if (round === this.#round) this.#confirm(requestedAt)
  }

  /** Drops the caches, so that all records are read from the store. */
  #drop(revision: Revision): void {
    this.#parts.cache.clear()
    this.#parts.keys.clear()
    this.reactions.note({ revision, keys: null })
    this.#advance(revision)
  }

  /** Runs the reactions. The caches are not used before all reactions have finished. */
  #react(): void {
    this.#expire()
    this.renew().catch(() => {
      // Ignore the error here. The next use of the caches runs the failed reactions again, and throws their error.
    })
  }

  #expire(): void {
    this.#round++
    this.#until = NEVER
    this.#renewAt = NEVER
    this.#asOf = NEVER
    this.#pendingRevision = undefined
  }

  #confirm(requestedAt: number): void {
    if (requestedAt <= this.#asOf || this.reactions.pending) return
    this.#asOf = requestedAt
    this.#until = requestedAt + this.stalenessMs
    this.#renewAt = requestedAt + this.stalenessMs / 2
  }

  #advance(revision: Revision): void {
    this.#latest = Math.max(this.#latest, revision)
    if (revision <= this.#applied) return
    this.#applied = revision
    const pending = this.#pendingRevision
    if (pending && pending.revision <= revision) {
      this.#pendingRevision = undefined
      this.#confirm(pending.requestedAt)
    }
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = waiting.filter((waiter) => waiter.revision > revision)
    for (const { revision: wanted, wake } of waiting) if (wanted <= revision) wake()
  }
}
