/**
 * How fast the users of a mount are taken away: eight at once, with fewer calls side by side while the cloud asks for fewer requests, and
 * none in the background for a time where it goes on asking (hashicorp/vault#2735).
 */
import { backOffAfter } from '../../../core/base/back-off.ts'
import { RevokeLater } from '../../../core/contract/lease-handler.ts'
import type { Environment } from '../../../core/contract/tx.ts'
import type { RootConfig } from '../records.ts'
import { Semaphore } from './semaphore.ts'

const MAX_CONCURRENT = 8

/** Milliseconds, so that work goes on soon after the cloud has calmed down. */
const MAX_HOLD_MS = 300_000

/** Milliseconds: what is not asked in a tick is asked in one of the next. */
const NEXT_TICK_MS = 10_000

/** Whom a removal is for: the mount, and the configuration it asks by. */
export interface RemovalContext {
  readonly env: Environment
  /** The uuid of the mount. */
  readonly mount: string
  readonly root: RootConfig
  /** The tick that asks, if one does. */
  readonly tick: object | undefined
}

const THROTTLES = new WeakMap<Environment, Map<string, RemovalThrottle>>()

export class RemovalThrottle {
  /** Another configuration is another account, or other credentials: what they were told does not count. */
  readonly #generation: string
  readonly #removals = new Semaphore(MAX_CONCURRENT)
  readonly #calls = new Semaphore(MAX_CONCURRENT)
  /** How often the cloud has asked for fewer requests. */
  #throttled = 0
  #holds = 0
  /** Milliseconds. */
  #heldUntil = 0
  /** In which the cloud did not answer in time. */
  #silent: object | undefined

  private constructor(generation: string) {
    this.#generation = generation
  }

  static of({ env, mount, root: { generation } }: RemovalContext): RemovalThrottle {
    const all = THROTTLES.get(env) ?? new Map<string, RemovalThrottle>()
    THROTTLES.set(env, all)
    const known = all.get(mount)
    if (known && known.#generation === generation) return known
    const made = new RemovalThrottle(generation)
    all.set(mount, made)
    return made
  }

  /**
   * Runs a removal as one of those at once; one that nothing slowed down speeds up the others. In a tick nothing waits for a cloud that
   * wants fewer requests or does not answer.
   * @throws RevokeLater where it has not begun.
   */
  async remove<T>({ env, tick }: RemovalContext, work: () => Promise<T>): Promise<T> {
    this.#check(env, tick)
    return this.#removals.run(async () => {
      this.#check(env, tick)
      const throttled = this.#throttled
      const done = await work()
      this.#holds = 0
      if (this.#throttled === throttled) this.#calls.most = Math.min(MAX_CONCURRENT, this.#calls.most + 1)
      return done
    })
  }

  /** Makes a call of a removal; one that is repeated keeps its place. */
  call<T>(ask: () => Promise<T>): Promise<T> {
    return this.#calls.run(ask)
  }

  /** The cloud wants fewer requests. */
  slowDown(): void {
    this.#throttled++
    this.#calls.most = Math.max(1, Math.floor(this.#calls.most / 2))
  }

  /** Calls wait for each other longer than they would, which is no fault of whoever is to be removed. */
  get isSlow(): boolean {
    return this.#calls.most < MAX_CONCURRENT
  }

  /** The cloud goes on asking for fewer requests: the background asks nothing for a time. @returns Milliseconds. */
  pauseBackground({ deadline }: Environment): number {
    const now = deadline.now()
    if (now >= this.#heldUntil) this.#heldUntil = now + Math.min(backOffAfter(++this.#holds), MAX_HOLD_MS)
    return Math.min(this.#heldUntil - now, MAX_HOLD_MS)
  }

  /** The cloud did not answer in time: nobody else of that tick waits as long. */
  markUnresponsive(tick: object | undefined): void {
    this.#silent = tick
  }

  #check({ deadline }: Environment, tick: object | undefined): void {
    if (!tick) return
    const left = this.#heldUntil - deadline.now()
    // After a clock was set back nothing is held for longer than ever.
    if (left > 0 && left <= MAX_HOLD_MS) throw new RevokeLater(left, 'put off: the cloud asks for fewer requests')
    if (this.#silent === tick) throw new RevokeLater(NEXT_TICK_MS, 'put off: the cloud does not answer')
  }
}
