/**
 * How old the kernel's in-memory state may be, where others write to the same store.
 *
 * The state is as of a moment: the latest at which the store was asked for its newest revision, with everything up to that revision
 * applied since. The moment is when the question left, on the own clock, so neither a slow answer nor a late change makes anything look
 * newer than it is. Caches may be used for a bounded time after that moment. Then the next user asks again, and the caches are dropped
 * where the watch has not reported by then what changed. While they are in use the question is asked ahead of time, in the background.
 */
import type { Clock } from '../../base/clock.ts'
import type { Wipeable } from '../../crypto/backend.ts'
import type { KeyCache } from '../../crypto/key-cache.ts'
import type { Change, Revision } from '../../storage/port.ts'
import { endOfFolder, type RecordCache } from '../cache.ts'
import type { Store } from '../store.ts'
import { Reactions } from './reactions.ts'

export interface FreshnessParts {
  readonly store: Store
  readonly clock: Clock
  readonly cache: RecordCache
  readonly keys: KeyCache<Wipeable>
  /** Milliseconds that caches may be used without asking the store. */
  readonly bound: number
}

const NEVER = Number.NEGATIVE_INFINITY

export class Freshness {
  readonly bound: number
  /** Run after changes of single keys. */
  readonly reactions = new Reactions()
  readonly #parts: FreshnessParts
  /** Whether others write to the store. */
  readonly isShared: boolean
  #applied: Revision = 0
  #latest: Revision = 0
  /** The moment that the in-memory state is as of. */
  #asOf = NEVER
  /** Caches must not be used from this time on. */
  #until = NEVER
  /** From this time on a use asks the store in the background. */
  #askAt = NEVER
  /** The last time of day that was seen: after a clock was set back, freshness is unproven. */
  #seen = NEVER
  /** The newest revision at a moment, while it has not been applied yet. */
  #wanted: { readonly asked: number; readonly revision: Revision } | undefined
  #asking = false
  /** Counts invalidations of all that is known; an answer requested before the last one is ignored. */
  #round = 0
  #renewing: { readonly asked: number; readonly round: number; readonly done: Promise<void> } | undefined
  #waiting: { readonly revision: Revision; readonly wake: () => void }[] = []

  constructor(parts: FreshnessParts) {
    this.#parts = parts
    this.bound = parts.bound
    this.isShared = parts.store.storage.caps.shared
  }

  /** Everything committed up to this revision has reached the caches. */
  get applied(): Revision {
    return this.#applied
  }

  /** The newest revision that this kernel knows of. */
  get latest(): Revision {
    return this.#latest
  }

  /** Age of the in-memory state in milliseconds; infinite where nobody has asked, 0 on a store that nobody else writes to. */
  get age(): number {
    if (!this.isShared) return 0
    const age = this.#parts.clock.now() - this.#asOf
    return age >= 0 ? age : Number.POSITIVE_INFINITY
  }

  /**
   * Whether the caches may be used now. On the hot path: two comparisons, nothing allocated.
   * @param now What the clock says, where that was read already.
   */
  isFresh(now?: number): boolean {
    return !this.isShared || this.#isFreshAt(now ?? this.#parts.clock.now())
  }

  #isFreshAt(now: number): boolean {
    if (now < this.#seen) return this.#setBack(now)
    this.#seen = now
    return now < this.#askAt || this.#isUsable(now)
  }

  /** Asks the store in the background, although nothing uses the caches. */
  ask(): void {
    if (this.isShared && this.isFresh()) this.#ask(this.#seen)
  }

  /**
   * Asks the store. When it resolves, the in-memory state is no older than the call, or than the bound where that is later.
   * @throws KernelError 503 when the store cannot be asked.
   */
  renew(): Promise<void> {
    const now = this.#parts.clock.now()
    const running = this.#renewing
    if (running?.round === this.#round && now - running.asked < this.bound) return running.done
    const renewing = { asked: now, round: this.#round, done: this.#renew(now) }
    this.#renewing = renewing
    const over = () => {
      if (this.#renewing === renewing) this.#renewing = undefined
    }
    renewing.done.then(over, over)
    return renewing.done
  }

  /** Begins at `revision`, which was asked for at `asked`; the caches hold nothing older. */
  begin(revision: Revision, asked: number): void {
    this.#advance(revision)
    this.#confirm(asked)
  }

  /** Takes a change that was reported. */
  told(change: Change): void {
    this.#take(change)
    this.#advance(change.revision)
  }

  /** A commit of this kernel that is none of its requests': what the caches hold of these keys is outdated. */
  wrote(change: Change): void {
    this.#take(change)
    this.committed(change.revision)
  }

  /** A key record is written once, or on behalf of a primary: a change of it means that the key in hand is not it any more. */
  #take(change: Change): void {
    const { cache, keys } = this.#parts
    cache.apply(change)
    if (!change.keys) keys.clear()
    for (const key of change.keys ?? []) {
      const version = key.lastIndexOf('/') + 1
      keys.dropVersion(key.slice(endOfFolder(key), version - 1), Number(key.slice(version)))
    }
    if (this.reactions.note(change)) this.#react()
  }

  /** A commit of this kernel has reached the caches. Earlier commits of others may not have. */
  committed(revision: Revision): void {
    if (!this.isShared || revision === this.#applied + 1) this.#advance(revision)
    else this.#latest = Math.max(this.#latest, revision)
  }

  /** Resolves when everything up to `revision` has been applied, or `signal` is aborted. */
  reached(revision: Revision, signal: AbortSignal): Promise<void> {
    if (this.#applied >= revision || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const abort = (): void => {
        this.#waiting = this.#waiting.filter((one) => one.wake !== wake)
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
   * Resolves when no kernel with the same bound uses anything older than what is committed at the time of the call, because all earlier
   * answers have expired. It sleeps instead of reading the clock, so a clock that jumps shortens nothing; clock speeds may differ by one
   * per cent.
   */
  async visibleEverywhere(signal: AbortSignal): Promise<void> {
    // A timer may fire a millisecond early.
    if (this.isShared && this.bound > 0) await this.#parts.clock.sleep(Math.ceil(this.bound * 1.01) + 1, signal)
  }

  #setBack(now: number): boolean {
    this.#seen = now
    this.#expire()
    return false
  }

  #isUsable(now: number): boolean {
    if (now >= this.#until) return false
    this.#ask(now)
    return true
  }

  #ask(now: number): void {
    // Should the question or its answer be lost, it is asked again before the time is up.
    this.#askAt = Math.min(now + this.bound / 4, this.#until)
    if (!this.#wanted && !this.#asking) {
      this.#asking = true
      const over = () => {
        this.#asking = false
      }
      this.#askAhead(now).then(over, over)
    }
  }

  async #askAhead(asked: number): Promise<void> {
    const round = this.#round
    const revision = await this.#parts.store.newest()
    if (round !== this.#round) return
    if (this.#applied >= revision) this.#confirm(asked)
    else this.#wanted = { asked, revision }
  }

  async #renew(asked: number): Promise<void> {
    const round = this.#round
    const revision = await this.#parts.store.newest()
    if (this.isShared && this.#applied < revision) this.#drop(revision)
    await this.reactions.done()
    if (round === this.#round) this.#confirm(asked)
  }

  /** Drops the caches: what is not held cannot be old. */
  #drop(revision: Revision): void {
    this.#parts.cache.clear()
    this.#parts.keys.clear()
    this.reactions.note({ revision, keys: null })
    this.#advance(revision)
  }

  /** Runs the reactions; nobody uses the caches before they are done. */
  #react(): void {
    this.#expire()
    this.renew().catch(() => {
      // The next user of the caches tries again and learns why it fails.
    })
  }

  #expire(): void {
    this.#round++
    this.#until = NEVER
    this.#askAt = NEVER
    this.#asOf = NEVER
    this.#wanted = undefined
  }

  #confirm(asked: number): void {
    if (asked <= this.#asOf || this.reactions.pending) return
    this.#asOf = asked
    this.#until = asked + this.bound
    this.#askAt = asked + this.bound / 2
  }

  #advance(revision: Revision): void {
    this.#latest = Math.max(this.#latest, revision)
    if (revision <= this.#applied) return
    this.#applied = revision
    const wanted = this.#wanted
    if (wanted && wanted.revision <= revision) {
      this.#wanted = undefined
      this.#confirm(wanted.asked)
    }
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = waiting.filter((one) => one.revision > revision)
    for (const { revision: wants, wake } of waiting) if (wants <= revision) wake()
  }
}
