/**
 * How fast the users of a mount are taken away: eight at once, fewer while the cloud asks for fewer requests, and none in the background for
 * a time where it goes on asking (hashicorp/vault#2735).
 */
import { backOffAfter } from '../../../core/base/back-off.ts'
import { RevokeLater } from '../../../core/contract/lease-handler.ts'
import type { Environment } from '../../../core/contract/tx.ts'
import type { RootConfig } from '../records.ts'

const MOST_AT_ONCE = 8

/** Milliseconds, so that work goes on soon after the cloud has calmed down. */
const LONGEST_HOLD_MS = 300_000

/** Milliseconds: what is not asked in a tick is asked in one of the next. */
const NEXT_TICK_MS = 10_000

/** Whom a removal is for: the mount, and the configuration it asks by. */
export interface Asker {
  readonly env: Environment
  /** The uuid of the mount. */
  readonly mount: string
  readonly root: RootConfig
  /** The tick that asks, if one does. */
  readonly tick: object | undefined
}

const PACES = new WeakMap<Environment, Map<string, Pace>>()

export class Pace {
  /** Another configuration is another account, or other credentials: what they were told does not count. */
  readonly #generation: string
  #window = MOST_AT_ONCE
  #running = 0
  #holds = 0
  /** Milliseconds. */
  #heldUntil = 0
  /** In which the cloud did not answer in time. */
  #silent: object | undefined
  readonly #waiting: (() => void)[] = []

  private constructor(generation: string) {
    this.#generation = generation
  }

  static of({ env, mount, root: { generation } }: Asker): Pace {
    const all = PACES.get(env) ?? new Map<string, Pace>()
    PACES.set(env, all)
    const known = all.get(mount)
    if (known && known.#generation === generation) return known
    const made = new Pace(generation)
    all.set(mount, made)
    return made
  }

  /**
   * Runs work as one of those at once. In a tick nothing waits for a cloud that wants fewer requests or does not answer.
   * @throws RevokeLater where the work has not begun.
   */
  async run<T>({ env, tick }: Asker, work: () => Promise<T>): Promise<T> {
    this.#check(env, tick)
    if (this.#running >= this.#window) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      this.#check(env, tick)
      return await work()
    } finally {
      this.#running--
      this.#next()
    }
  }

  /** The cloud wants fewer requests. */
  slowDown(): void {
    this.#window = Math.max(1, Math.floor(this.#window / 2))
  }

  /** One user more is away. */
  speedUp(): void {
    this.#holds = 0
    this.#window = Math.min(MOST_AT_ONCE, this.#window + 1)
    this.#next()
  }

  /** The cloud goes on asking for fewer requests: the background asks nothing for a time. @returns Milliseconds. */
  hold({ deadline }: Environment): number {
    const now = deadline.now()
    if (now >= this.#heldUntil) this.#heldUntil = now + Math.min(backOffAfter(++this.#holds), LONGEST_HOLD_MS)
    return this.#heldUntil - now
  }

  /** The cloud did not answer in time: nobody else of that tick waits as long. */
  fallSilent(tick: object | undefined): void {
    this.#silent = tick
  }

  #check({ deadline }: Environment, tick: object | undefined): void {
    if (!tick) return
    const left = this.#heldUntil - deadline.now()
    // After a clock was set back nothing is held for longer than ever.
    if (left > 0 && left <= LONGEST_HOLD_MS) throw new RevokeLater(left, 'put off: the cloud asks for fewer requests')
    if (this.#silent === tick) throw new RevokeLater(NEXT_TICK_MS, 'put off: the cloud does not answer')
  }

  /** Places that are free go to who has waited longest. */
  #next(): void {
    while (this.#running < this.#window) {
      const next = this.#waiting.shift()
      if (!next) return
      this.#running++
      next()
    }
  }
}
