/**
 * Limits how fast a mount removes IAM users, because AWS throttles removals at a high rate (hashicorp/vault#2735). At most eight removals
 * run at once. While the cloud throttles calls, fewer calls run concurrently. If the cloud continues to throttle, background removals
 * pause.
 */
import { backOffAfter } from '../../../core/base/back-off.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import { RevokeLater } from '../../../core/contract/lease-handler.ts'
import { oncePerKernel } from '../../../core/contract/once-per-kernel.ts'
import type { RootConfig } from '../records.ts'
import { Semaphore } from './semaphore.ts'

const MAX_CONCURRENT = 8

/** The maximum length of a pause. It is short enough that removals continue soon after the cloud has stopped throttling. */
const MAX_HOLD_MS = 300_000

/** The delay of a removal, in milliseconds, if its tick skips it because the cloud does not answer. */
const NEXT_TICK_MS = 10_000

export interface RemovalContext {
  readonly env: Environment
  /** The uuid of the mount. */
  readonly mount: string
  readonly root: RootConfig
  /** The tick in which the user is removed, if any. */
  readonly tick: object | undefined
}

const THROTTLES = /* @__PURE__ */ oncePerKernel(() => new Map<string, RemovalThrottle>())

export class RemovalThrottle {
  /** Identifies the root configuration. A new configuration may use another account or other credentials, so it gets a new throttle. */
  readonly #generation: string
  readonly #removals = new Semaphore(MAX_CONCURRENT)
  readonly #calls = new Semaphore(MAX_CONCURRENT)
  /** The number of throttled calls. */
  #throttled = 0
  /** The number of consecutive background pauses. */
  #pauses = 0
  /** The end of the current pause, in milliseconds since the Unix epoch. */
  #pausedUntil = 0
  /** The last tick in which a call timed out. */
  #unresponsiveTick: object | undefined

  private constructor(generation: string) {
    this.#generation = generation
  }

  static of({ env, mount, root: { generation } }: RemovalContext): RemovalThrottle {
    const all = THROTTLES(env)
    const known = all.get(mount)
    if (known && known.#generation === generation) return known
    const made = new RemovalThrottle(generation)
    all.set(mount, made)
    return made
  }

  /**
   * Runs a removal as soon as fewer than eight removals are running. If none of its calls is throttled, the limit of concurrent calls rises
   * by one. In a tick, a removal is not started while background removals pause, or if a call of this tick has timed out.
   * @throws RevokeLater if the removal was not started.
   */
  async remove<T>({ env, tick }: RemovalContext, work: () => Promise<T>): Promise<T> {
    this.#check(env, tick)
    return this.#removals.run(async () => {
      this.#check(env, tick)
      const throttled = this.#throttled
      const done = await work()
      this.#pauses = 0
      if (this.#throttled === throttled) this.#calls.limit = Math.min(MAX_CONCURRENT, this.#calls.limit + 1)
      return done
    })
  }

  /** Runs a call of a removal, including its retries, under the limit of concurrent calls. */
  call<T>(ask: () => Promise<T>): Promise<T> {
    return this.#calls.run(ask)
  }

  /** Halves the number of concurrent calls, after the cloud throttled one. */
  slowDown(): void {
    this.#throttled++
    this.#calls.limit = Math.max(1, Math.floor(this.#calls.limit / 2))
  }

  /** Whether calls run with reduced concurrency. If so, a timeout of a removal may only mean that its calls had to wait for other calls. */
  get isSlow(): boolean {
    return this.#calls.limit < MAX_CONCURRENT
  }

  /** Pauses background removals, because the cloud continues to throttle. @returns The remaining pause in milliseconds. */
  pauseBackground({ deadline }: Environment): number {
    const now = deadline.now()
    if (now >= this.#pausedUntil) this.#pausedUntil = now + Math.min(backOffAfter(++this.#pauses), MAX_HOLD_MS)
    return Math.min(this.#pausedUntil - now, MAX_HOLD_MS)
  }

  /** Records that a call timed out. Later removals of the same tick are then postponed, so that they do not also wait for a timeout. */
  markUnresponsive(tick: object | undefined): void {
    this.#unresponsiveTick = tick
  }

  #check({ deadline }: Environment, tick: object | undefined): void {
    if (!tick) return
    const left = this.#pausedUntil - deadline.now()
    // A remaining pause above the maximum shows that the clock was set back, so ignore the pause.
    if (left > 0 && left <= MAX_HOLD_MS) throw new RevokeLater(left, 'postponed, since the cloud throttles requests')
    if (this.#unresponsiveTick === tick) throw new RevokeLater(NEXT_TICK_MS, 'postponed, since the cloud does not answer')
  }
}
