/**
 * Keeps a store that is down from holding up requests: a circuit breaker around every call of the storage.
 *
 * A call that fails at once proves nothing about the next one, as a storage may refuse a single commit; so a probe decides: one read of the newest
 * revision. A call that took most of its time before it failed, or that is not answered in its time, opens the
 * circuit until a probe succeeds. While the circuit is open, each
 * request joins a probe, one at a time, and goes on if that succeeds; it fails at once if the probe takes longer than a moment. There is no timer:
 * an idle kernel asks nothing.
 */
import type { Clock } from '../base/clock.ts'
import type { Deadline } from '../base/deadline.ts'
import { KernelError } from '../base/errors.ts'
import type { Storage } from '../storage/port.ts'

export const DEFAULT_STORAGE_TIMEOUT_MS = 5000

/** How long a request waits for a probe. */
const JOIN_MS = 100

/** A health check waits longer for a store that is merely slow. */
const CHECK_MS = 1000

/** The share of its time after which a failed call opens the circuit. */
const SLOW = 0.8

const MICROTASK_ROUNDS = 4

/** Without a reason an AbortController makes an exception with a stack, for each call. */
const SETTLED = 'settled'

export interface StorageGuardParts {
  readonly storage: Storage
  readonly clock: Clock
  readonly deadline: Deadline
  readonly timeoutMs: number
}

export class StorageGuard {
  readonly #parts: StorageGuardParts
  #downSince: number | undefined
  /** The last error of the store. */
  #cause: unknown
  #probe: Promise<boolean> | undefined

  constructor(parts: StorageGuardParts) {
    this.#parts = parts
  }

  /** Milliseconds: since when the store is known not to answer; undefined if it is not. */
  get downSince(): number | undefined {
    return this.#downSince
  }

  /**
   * Makes a call unless the store is down. The storage bounds the call, as it alone knows the outcome; a call that takes longer than `timeoutMs`
   * opens the circuit for the calls after it.
   * @param late Handles an answer that arrives after a close stopped waiting for it.
   * @throws KernelError 503 while the store is down; what the call throws.
   */
  async run<T>(call: () => Promise<T>, late?: (answer: T) => unknown): Promise<T> {
    const { clock, deadline, timeoutMs } = this.#parts
    if (this.#downSince !== undefined && !(await this.#joinProbe(JOIN_MS))) throw isDown(this.#cause)
    const began = clock.now()
    const work = call()
    void this.#watch(work, began)
    try {
      return await deadline.patiently('the storage', work, late)
    } catch (error) {
      if (isFault(error)) {
        this.#cause = error
        if (clock.now() - began >= timeoutMs * SLOW) this.#downSince ??= clock.now()
        void this.#startProbe()
      }
      throw error
    }
  }

  /** Asks the store whether it answers, for a second at most. */
  check(): Promise<boolean> {
    return this.#joinProbe(CHECK_MS)
  }

  /** Opens the circuit if the call has not been answered in time. */
  async #watch(work: Promise<unknown>, began: number): Promise<void> {
    const { clock, timeoutMs } = this.#parts
    const over = new AbortController()
    let settled = false
    const settle = () => {
      settled = true
      over.abort(SETTLED)
    }
    work.then(settle, settle)
    // A storage in memory answers within the same turn of the event loop, and needs no timer.
    for (let round = 0; round < MICROTASK_ROUNDS && !settled; round++) await undefined
    if (settled) return
    try {
      await clock.sleep(timeoutMs, over.signal, { unref: true })
    } catch {
      return
    }
    // A clock of the application may wake earlier.
    if (clock.now() - began < timeoutMs) return
    this.#downSince ??= clock.now()
    void this.#startProbe()
  }

  async #joinProbe(ms: number): Promise<boolean> {
    const probe = this.#startProbe()
    const over = new AbortController()
    const late = this.#parts.clock.sleep(ms, over.signal).then(
      () => false,
      () => false,
    )
    try {
      return await Promise.race([probe, late])
    } finally {
      over.abort(SETTLED)
    }
  }

  #startProbe(): Promise<boolean> {
    const { storage, clock, deadline, timeoutMs } = this.#parts
    this.#probe ??= deadline
      .ask({ what: 'the storage', ms: timeoutMs, ask: () => storage.revision(true), beyondClose: true })
      .then(
        () => {
          this.#downSince = undefined
          return true
        },
        (error: unknown) => {
          this.#cause = error
          this.#downSince ??= clock.now()
          return false
        },
      )
      .finally(() => {
        this.#probe = undefined
      })
    return this.#probe
  }
}

const isDown = (cause: unknown): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'the storage failed or cannot be reached; nothing was changed', { cause })

/** A mistake of the caller says nothing about the store. */
const isFault = (error: unknown): boolean => !(error instanceof TypeError || error instanceof KernelError)
