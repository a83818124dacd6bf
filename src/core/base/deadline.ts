/**
 * Limits how long the kernel waits for calls to ports.
 */
import type { Clock } from './clock.ts'

/** The default of `createKernel({ effectTimeoutMs })`. */
export const DEFAULT_TIMEOUT_MS = 15_000

/** Thrown if a port did not answer in time, or was not called because the kernel is closing. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

export interface LimitedCall<T> {
  /** The name of the call for the error message, such as `ports.pgp.encrypt`. */
  readonly name: string
  /** @param signal Aborted when no code waits for the result any more, and when the kernel closes. */
  readonly call: (signal: AbortSignal) => T | PromiseLike<T>
  /** The time limit in milliseconds, for a call with a longer limit. Default: the common limit. */
  readonly ms?: number | undefined
  /** Receives a result that arrived too late, for example to close it. The return value and errors of this function are ignored. */
  readonly late?: ((answer: T) => unknown) | undefined
  /** If true, closing the kernel does not cancel the call, and the call can also be made after the kernel was closed. */
  readonly beyondClose?: boolean
}

/** An explicit reason for an abort. Without it, AbortController would create an exception with a stack for each call. */
const ANSWERED = 'answered'

/**
 * Limits the duration of every call to a port, measured by the kernel's clock. A call that has not finished in time counts as failed: its
 * signal is aborted, and a later result is ignored.
 */
export class Deadline {
  readonly #clock: Clock
  readonly #ms: number
  readonly #closing: AbortSignal
  /** Functions that are called when the kernel closes. Each belongs to one pending call, and aborts that call or starts its time limit. */
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

  /** @throws NoAnswer if there is no result in time. Also throws the port's errors. */
  call<T>({ name: what, call: ask, ms = this.#ms, late, beyondClose = false }: LimitedCall<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = new AbortController()
      const timer = new AbortController()
      let isWaiting = true
      const isFirst = (): boolean => {
        if (!isWaiting) return false
        isWaiting = false
        this.#onClose.delete(cancel)
        timer.abort(ANSWERED)
        return true
      }
      const giveUp = (why: string): void => {
        if (!isFirst()) return
        const error = new NoAnswer(`${what} ${why}`)
        reject(error)
        stop.abort(error)
      }
      // When the kernel closes, only abort the signal. If the port ignores the signal, the call continues until its time limit.
      const cancel = (): void => stop.abort(this.#closing.reason)
      if (!beyondClose) {
        if (this.#closing.aborted) return giveUp('was not called, because the kernel is closed')
        this.#onClose.add(cancel)
      }
      this.#clock.sleep(ms, timer.signal).then(
        () => giveUp(`did not answer within ${ms} milliseconds`),
        () => {},
      )
      // The async function turns a synchronous throw into a rejection.
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

  /** The current time of the clock in milliseconds. `now` of a transaction is constant, while calls to outside systems take real time. */
  now(): number {
    return this.#clock.now()
  }

  /** Sleeps by the kernel's clock. @throws The signal's reason as soon as the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal)
  }

  /**
   * Waits for a storage call. The storage itself limits the duration of its calls, because only the storage knows their outcome. So while
   * the kernel is open, this function waits as long as the call takes. Once the kernel is closed, it waits no longer than the common limit.
   */
  waitForStorage<T>(what: string, work: Promise<T>, late?: (answer: T) => unknown): Promise<T> {
    const withLimit = (): Promise<T> => this.call({ name: what, call: () => work, late, beyondClose: true })
    if (this.#closing.aborted) return withLimit()
    return new Promise((resolve, reject) => {
      const startLimit = (): void => void withLimit().then(resolve, reject)
      this.#onClose.add(startLimit)
      const unregister = (): boolean => this.#onClose.delete(startLimit)
      work.then(
        (value) => unregister() && resolve(value),
        (error: unknown) => unregister() && reject(error),
      )
    })
  }
}
