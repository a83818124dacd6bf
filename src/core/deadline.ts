/**
 * How long the kernel waits for anything outside. Room: core. Imported by whatever stands between the kernel and a port.
 */
import type { Clock } from './clock.ts'

/** A port did not answer in time, or the kernel closed while it was asked. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

export interface Question<T> {
  /** What is asked, for the message: `ports.pgp.encrypt`. */
  readonly what: string
  /** @param signal Aborted when the answer is not waited for any more. */
  readonly ask: (signal: AbortSignal) => T | PromiseLike<T>
  /** What is to be done with an answer that came too late. What it throws, or rejects with, is nobody's business any more. */
  readonly late?: (answer: T) => unknown
  /** Waited for until the deadline although the kernel is closing. Default: it is called off then. */
  readonly outlastsClosing?: boolean
}

/**
 * Bounds every call of a port by the kernel's clock. A call that has no answer by then counts as failed: it is told so by its signal, and
 * whatever comes of it later changes nothing.
 */
export class Deadline {
  readonly #clock: Clock
  readonly #ms: number
  readonly #closing: AbortSignal
  /** Ends the waiting of those that a close calls off. */
  readonly #waiting = new Set<() => void>()

  /** @param closing Aborted when the kernel closes. */
  constructor(clock: Clock, ms: number, closing: AbortSignal) {
    this.#clock = clock
    this.#ms = ms
    this.#closing = closing
    closing.addEventListener('abort', () => {
      for (const end of [...this.#waiting]) end()
    })
  }

  /** @throws NoAnswer when there is none in time; whatever the port throws. */
  ask<T>({ what, ask, late, outlastsClosing = false }: Question<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = new AbortController()
      const timer = new AbortController()
      let waits = true
      const end = (): boolean => {
        if (!waits) return false
        waits = false
        this.#waiting.delete(close)
        timer.abort()
        return true
      }
      const giveUp = (why: string): void => {
        if (!end()) return
        const error = new NoAnswer(`${what} ${why}`)
        reject(error)
        stop.abort(error)
      }
      const close = (): void => giveUp('was called off: the kernel is closed')
      if (this.#closing.aborted && !outlastsClosing) return close()
      if (!outlastsClosing) this.#waiting.add(close)
      this.#clock.sleep(this.#ms, timer.signal).then(
        () => giveUp(`did not answer within ${this.#ms} milliseconds`),
        () => {},
      )
      const answer = (async () => ask(stop.signal))()
      answer.then(
        (value) => {
          if (end()) resolve(value)
          else if (late) void (async () => late(value))().catch(() => {})
        },
        (error: unknown) => {
          if (end()) reject(error)
        },
      )
    })
  }
}
