/**
 * How old what a kernel holds in memory may be, where others write to the same store.
 *
 * What is held is as of some moment: the latest at which the store was asked for its newest revision, and all up to that one has been
 * applied since. The moment is when the question left, on the own clock, so neither a slow answer nor a late change makes anything look
 * newer than it is. For a bounded time after that moment caches may be used; then whoever wants to use them asks again, and where the
 * watch has not told by then what changed, they are dropped. While they are in use the question is asked ahead of time, in the
 * background.
 */
import type { Clock } from '../../base/clock.ts'
import type { Wipeable } from '../../crypto/backend.ts'
import type { KeyCache } from '../../crypto/pins.ts'
import type { Change, Revision } from '../../storage/port.ts'
import { endOfFolder, type RecordCache } from '../cache.ts'
import type { Store } from '../store.ts'
import { Reactions } from './reactions.ts'

export interface FreshnessParts {
  readonly store: Store
  readonly clock: Clock
  readonly cache: RecordCache
  readonly keys: KeyCache<Wipeable>
  /** Milliseconds that caches may be used without the store having been asked. */
  readonly bound: number
}

const NEVER = Number.NEGATIVE_INFINITY

export class Freshness {
  readonly bound: number
  /** Told of changes of single keys. */
  readonly reactions = new Reactions()
  readonly #parts: FreshnessParts
  readonly #shared: boolean
  #applied: Revision = 0
  #latest: Revision = 0
  /** The moment that what is held is as of. */
  #asOf = NEVER
  /** From here on it is not to be used. */
  #until = NEVER
  /** From here on a use asks ahead. */
  #askAt = NEVER
  /** The last time of day that was seen: a clock that was set back proves nothing. */
  #seen = NEVER
  /** The newest revision at a moment, where it has not been applied yet. */
  #wanted: { readonly asked: number; readonly revision: Revision } | undefined
  #asking = false
  /** Counts what made worthless all that is known; an answer that was asked for before that says nothing. */
  #round = 0
  #renewing: { readonly asked: number; readonly round: number; readonly done: Promise<void> } | undefined
  #waiting: { readonly revision: Revision; readonly wake: () => void }[] = []

  constructor(parts: FreshnessParts) {
    this.#parts = parts
    this.bound = parts.bound
    this.#shared = parts.store.storage.caps.shared
  }

  /** Everything committed up to this revision has reached the caches. */
  get applied(): Revision {
    return this.#applied
  }

  /** The newest revision that this kernel knows of. */
  get latest(): Revision {
    return this.#latest
  }

  /** How many milliseconds old what is held may be; infinite where nobody has asked, 0 on a store that nobody else writes to. */
  get age(): number {
    if (!this.#shared) return 0
    const age = this.#parts.clock.now() - this.#asOf
    return age >= 0 ? age : Number.POSITIVE_INFINITY
  }

  /** Whether what is held may be used now. On the hot path: two comparisons, nothing allocated. */
  isFresh(): boolean {
    if (!this.#shared) return true
    const now = this.#parts.clock.now()
    if (now < this.#seen) return this.#setBack(now)
    this.#seen = now
    return now < this.#askAt || this.#isUsable(now)
  }

  /**
   * Asks the store. When it resolves, what is held is no older than the call, or than the bound where that is later.
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

  /** A watch begins at `revision`, which was asked for at `asked`; nothing older is in the caches. */
  begin(revision: Revision, asked: number): void {
    this.#advance(revision)
    this.#confirm(asked)
  }

  /** What somebody committed. A key record is written once, so one that changes is gone. */
  told(change: Change): void {
    const { cache, keys } = this.#parts
    cache.apply(change)
    if (!change.keys) keys.clear()
    for (const key of change.keys ?? []) {
      const version = key.lastIndexOf('/') + 1
      keys.dropVersion(key.slice(endOfFolder(key), version - 1), Number(key.slice(version)))
    }
    if (this.reactions.note(change)) this.#react()
    this.#advance(change.revision)
  }

  /** A commit of this kernel has reached the caches. What others committed before it may not have. */
  committed(revision: Revision): void {
    if (!this.#shared || revision === this.#applied + 1) this.#advance(revision)
    else this.#latest = Math.max(this.#latest, revision)
  }

  /** Resolves when everything up to `revision` has been applied, or `signal` is aborted. */
  reached(revision: Revision, signal: AbortSignal): Promise<void> {
    if (this.#applied >= revision || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push({ revision, wake: resolve })
      signal.addEventListener(
        'abort',
        () => {
          this.#waiting = this.#waiting.filter(({ wake }) => wake !== resolve)
          resolve()
        },
        { once: true },
      )
    })
  }

  /**
   * Resolves when no kernel with the same bound uses anything older than what is committed at the time of the call: all that was asked for
   * before has expired. Time is slept, not read, so a clock that jumps shortens nothing; clocks may differ in speed by a hundredth.
   */
  async settled(signal: AbortSignal): Promise<void> {
    // A timer may fire a millisecond early.
    if (this.#shared && this.bound > 0) await this.#parts.clock.sleep(Math.ceil(this.bound * 1.01) + 1, signal)
  }

  #setBack(now: number): boolean {
    this.#seen = now
    this.#expire()
    return false
  }

  #isUsable(now: number): boolean {
    if (now >= this.#until) return false
    // Should the question or its answer be lost, it is asked again before time is up.
    this.#askAt = Math.min(now + this.bound / 4, this.#until)
    if (!this.#wanted && !this.#asking) {
      this.#asking = true
      const over = () => {
        this.#asking = false
      }
      this.#askAhead(now).then(over, over)
    }
    return true
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
    if (this.#shared && this.#applied < revision) this.#drop(revision)
    await this.reactions.done()
    if (round === this.#round) this.#confirm(asked)
  }

  /** What is not held cannot be old. */
  #drop(revision: Revision): void {
    this.#parts.cache.clear()
    this.#parts.keys.clear()
    this.reactions.note({ revision, keys: null })
    this.#advance(revision)
  }

  /** Nobody goes on before what follows from a change is done. */
  #react(): void {
    this.#expire()
    this.renew().catch(() => {
      // Whoever uses the caches next tries again, and learns why it fails.
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
