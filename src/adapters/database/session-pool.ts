import type { PoolLimits } from './details.ts'
import { databaseFailure } from './failure.ts'
import { type DatabaseSession, untilAborted } from './session.ts'

interface PooledSession<S> {
  readonly session: S
  readonly createdMs: number
}

interface Waiter {
  readonly start: () => void
  readonly refuse: (error: Error) => void
}

/** A pool with a bounded number of sessions, which are reused. */
export class SessionPool<S extends DatabaseSession> {
  readonly #open: (signal: AbortSignal) => Promise<S>
  readonly #limits: PoolLimits
  readonly #idle: PooledSession<S>[] = []
  readonly #waiters = new Set<Waiter>()
  #busy = 0
  #closing: Promise<void> | undefined
  #onQuiet: (() => void) | undefined

  constructor(open: (signal: AbortSignal) => Promise<S>, limits: PoolLimits) {
    this.#open = open
    this.#limits = limits
  }

  /**
   * Runs `work` with a session. Afterwards the session must have the same state as before, or `work` must make the session unusable. If the
   * signal is aborted, the session is closed.
   * @throws DatabaseError `closed` if the pool was closed, or `timeout` if the signal is aborted. Errors of opening a session and of `work`
   * are passed on.
   */
  async use<T>(signal: AbortSignal, work: (session: S) => Promise<T>): Promise<T> {
    if (signal.aborted) throw databaseFailure('timeout')
    await this.#turn(signal)
    let kept: PooledSession<S> | undefined
    let done = false
    try {
      kept = this.#reuse() ?? { session: await this.#open(signal), createdMs: performance.now() }
      const { session } = kept
      const result = await untilAborted(
        signal,
        () => session.destroy(),
        () => work(session),
      )
      done = true
      return result
    } finally {
      await this.#giveBack(kept, done || !signal.aborted)
    }
  }

  /** Closes idle sessions and waits for calls in progress. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    for (const { refuse } of this.#waiters) refuse(databaseFailure('closed'))
    this.#waiters.clear()
    await Promise.all(this.#idle.splice(0).map(({ session }) => session.end()))
    if (this.#busy > 0)
      await new Promise<void>((resolve) => {
        this.#onQuiet = resolve
      })
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#closing) throw databaseFailure('closed')
    if (this.#busy < this.#limits.maxOpen) {
      this.#busy++
      return
    }
    let waiter: Waiter | undefined
    const turn = new Promise<void>((start, refuse) => {
      waiter = { start, refuse }
      this.#waiters.add(waiter)
    })
    await untilAborted(
      signal,
      () => this.#waiters.delete(waiter!),
      () => turn,
    )
  }

  #reuse(): PooledSession<S> | undefined {
    for (let kept = this.#idle.pop(); kept; kept = this.#idle.pop()) {
      if (this.#isGood(kept)) return kept
      kept.session.destroy()
    }
    return undefined
  }

  #isGood({ session, createdMs }: PooledSession<S>): boolean {
    return session.usable && performance.now() - createdMs < this.#limits.lifetimeMs
  }

  async #giveBack(kept: PooledSession<S> | undefined, whole: boolean): Promise<void> {
    if (kept && (!whole || !kept.session.usable)) kept.session.destroy()
    else if (kept && this.#closing) await kept.session.end()
    else if (kept && this.#idle.length < this.#limits.maxIdle && this.#isGood(kept)) this.#idle.push(kept)
    // Do not make the caller wait until the session has ended.
    else if (kept) void kept.session.end()
    const [next] = this.#waiters
    if (next) {
      // The waiter takes the place of this call, so `#busy` stays the same.
      this.#waiters.delete(next)
      next.start()
    } else if (--this.#busy === 0) this.#onQuiet?.()
  }
}
