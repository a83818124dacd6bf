/**
 * Bounds how long the kernel waits for external calls.
 */
import type { Clock } from './clock.ts'

/** The default of `createKernel({ effectTimeoutMs })`. */
export const DEFAULT_TIMEOUT_MS = 15_000

/** A port did not answer in time, or was no longer called because the kernel is closing. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

export interface Question<T> {
  /** The call's name for the message: `ports.pgp.encrypt`. */
  readonly what: string
  /** @param signal Aborted when the answer is no longer awaited, and when the kernel closes. */
  readonly ask: (signal: AbortSignal) => T | PromiseLike<T>
  /** Milliseconds, for a call that declares a longer time. Default: the common deadline. */
  readonly ms?: number | undefined
  /** Handles an answer that came too late. Its own outcome is ignored. */
  readonly late?: ((answer: T) => unknown) | undefined
  /** A close does not cancel the call, and it may begin after a close. */
  readonly beyondClose?: boolean
}

/** Without a reason an AbortController makes an exception with a stack, for each answer. */
const ANSWERED = 'answered'

/**
 * Bounds every call of a port by the kernel's clock. A call without an answer by then counts as failed: its signal is aborted, and its
 * later outcome changes nothing.
 */
export class Deadline {
  readonly #clock: Clock
  readonly #ms: number
  readonly #closing: AbortSignal
  /** Called at a close for every call under way. */
  readonly #onClose = new Set<() => void>()

  /** @param closing Aborted when the kernel closes. */
  constructor(clock: Clock, ms: number, closing: AbortSignal) {
    this.#clock = clock
    this.#ms = ms
    this.#closing = closing
    closing.addEventListener('abort', () => {
      for (const act of [...this.#onClose]) act()
    })
  }

  get ms(): number {
    return this.#ms
  }

  /** @throws NoAnswer when there is none in time; any error of the port. */
  ask<T>({ what, ask, ms = this.#ms, late, beyondClose = false }: Question<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = new AbortController()
      const timer = new AbortController()
      let waits = true
      const isFirst = (): boolean => {
        if (!waits) return false
        waits = false
        this.#onClose.delete(callOff)
        timer.abort(ANSWERED)
        return true
      }
      const giveUp = (why: string): void => {
        if (!isFirst()) return
        const error = new NoAnswer(`${what} ${why}`)
        reject(error)
        stop.abort(error)
      }
      // A port that ignores the signal has until the deadline.
      const callOff = (): void => stop.abort(this.#closing.reason)
      if (!beyondClose) {
        if (this.#closing.aborted) return giveUp('is not asked any more: the kernel is closed')
        this.#onClose.add(callOff)
      }
      this.#clock.sleep(ms, timer.signal).then(
        () => giveUp(`did not answer within ${ms} milliseconds`),
        () => {},
      )
      // An async function turns a synchronous throw into a rejection.
      const answer = (async () => ask(stop.signal))()
      answer.then(
        (value) => {
          if (isFirst()) resolve(value)
          else if (late) void (async () => late(value))().catch(() => {})
        },
        (error: unknown) => {
          if (isFirst()) reject(error)
        },
      )
    })
  }

  /** Milliseconds of the clock that it counts by: what is asked outside takes time, in which that of a transaction stands still. */
  now(): number {
    return this.#clock.now()
  }

  /** Waits, by the same clock. @throws The reason of the signal, as soon as that is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal)
  }

  /**
   * For the storage, which bounds its calls itself and alone knows their outcome: waits as long as a call takes. Only a closing kernel
   * waits no longer than the common deadline from then on.
   */
  patiently<T>(what: string, work: Promise<T>, late?: (answer: T) => unknown): Promise<T> {
    const hurried = (): Promise<T> => this.ask({ what, ask: () => work, late, beyondClose: true })
    if (this.#closing.aborted) return hurried()
    return new Promise((resolve, reject) => {
      const hurry = (): void => void hurried().then(resolve, reject)
      this.#onClose.add(hurry)
      const over = (): boolean => this.#onClose.delete(hurry)
      work.then(
        (value) => over() && resolve(value),
        (error: unknown) => over() && reject(error),
      )
    })
  }
}
