/**
 * How long the kernel waits for anything outside.
 */
import type { Clock } from './clock.ts'

/** What `createKernel({ effect_timeout_ms })` is by default. */
export const DEFAULT_TIMEOUT_MS = 15_000

/** A port did not answer in time, or was not asked any more because the kernel is closing. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

export interface Question<T> {
  /** Who is asked, for the message: `ports.pgp.encrypt`. */
  readonly what: string
  /** @param signal Aborted when the answer is not waited for any more, and when the kernel closes. */
  readonly ask: (signal: AbortSignal) => T | PromiseLike<T>
  /** Milliseconds, for who declares that it needs longer. Default: the deadline of all. */
  readonly ms?: number | undefined
  /** What is done with an answer that came too late. How that ends is of no interest any more. */
  readonly late?: ((answer: T) => unknown) | undefined
  /** A close does not call it off, and it may begin after it. */
  readonly beyondClose?: boolean
}

/** Without a reason an AbortController makes an exception with a stack, for each answer. */
const ANSWERED = 'answered'

/**
 * Bounds every call of a port by the kernel's clock. A call that has no answer by then counts as failed: it is told so by its signal, and
 * whatever comes of it later changes nothing.
 */
export class Deadline {
  readonly #clock: Clock
  readonly #ms: number
  readonly #closing: AbortSignal
  /** What a close does to calls under way. */
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

  /** @throws NoAnswer when there is none in time; whatever the port throws. */
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
      // Who does not listen to that has until the deadline.
      const callOff = (): void => stop.abort(this.#closing.reason)
      if (!beyondClose) {
        if (this.#closing.aborted) return giveUp('is not asked any more: the kernel is closed')
        this.#onClose.add(callOff)
      }
      this.#clock.sleep(ms, timer.signal).then(
        () => giveUp(`did not answer within ${ms} milliseconds`),
        () => {},
      )
      // An async function, so that what is thrown at once is rejected.
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

  /**
   * For the storage, which bounds its calls itself and knows alone what became of one: waits as long as that takes. Only when the kernel closes
   * it is not waited for any longer than for everybody else, from then on.
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
