/**
 * A circuit breaker around every storage call. While the store is down, requests fail within 100 ms instead of waiting for their time
 * limit.
 *
 * A call opens the circuit if it is not answered within its time limit, or if it fails after most of that time. A call that fails quickly
 * does not show that the store is down, because a storage can refuse a single commit; so a probe then reads the newest revision, and opens
 * the circuit if that fails. The circuit remains open until a probe succeeds. While it is open, each request waits up to 100 ms for a probe
 * that all requests share, and fails if the probe has not succeeded by then. Probes run only after calls, so an idle kernel has no timer.
 *
 * Durations are measured by the system clock, because an injected clock may advance by an hour while the store needs a millisecond to
 * answer.
 */
import { type Clock, systemClock } from '../base/clock.ts'
import { type Deadline, NoAnswer } from '../base/deadline.ts'
import { KernelError } from '../base/errors.ts'
import type { Storage } from '../storage/port.ts'
import { unavailable } from './unavailable.ts'

export const DEFAULT_STORAGE_TIMEOUT_MS = 5000

/** How long a request waits for a probe. */
const PROBE_WAIT_MS = 100

/**
 * How long a health check waits for a probe. A health check waits longer than a request, so that it does not report a slow store as down.
 */
const HEALTH_CHECK_WAIT_MS = 1000

/** The fraction of its time limit after which a failing call opens the circuit. */
const SLOW_FRACTION = 0.8

const MICROTASK_ROUNDS = 4

/** An explicit reason for an abort. Without it, AbortController would create an exception with a stack for each call. */
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
  /** The last storage error. */
  #cause: unknown
  #probe: Promise<boolean> | undefined

  constructor(parts: StorageGuardParts) {
    this.#parts = parts
  }

  /** When the store stopped answering, in milliseconds since the epoch; undefined while it answers. */
  get downSince(): number | undefined {
    return this.#downSince
  }

  /**
   * Makes a call unless the store is down. The call is not aborted after `timeoutMs`, because only the storage can find out its outcome;
   * the storage itself must limit its duration. But if the call takes longer than `timeoutMs`, the circuit opens for later calls.
   * @param late Receives the result of the call if the result arrives after the kernel was closed, when no caller waits for it any more.
   * @throws KernelError 503 if the store is down; otherwise any error of the call.
   */
  async run<T>(call: () => Promise<T>, late?: (answer: T) => unknown): Promise<T> {
    const { storage, clock, deadline, timeoutMs } = this.#parts
    if (this.#downSince !== undefined && !(await this.#joinProbe(PROBE_WAIT_MS)))
      throw unavailable(this.#cause, storage, 'nothing was changed')
    const began = systemClock.now()
    const work = call()
    try {
      if (await isSettledAtOnce(work)) return await work
      void this.#watch(work)
      return await deadline.waitForStorage('the storage', work, late)
    } catch (error) {
      if (isFault(error)) {
        this.#cause = error
        if (systemClock.now() - began >= timeoutMs * SLOW_FRACTION) this.#downSince ??= clock.now()
        void this.#startProbe()
      }
      throw error
    }
  }

  /** Whether the store answers a probe within a second. */
  check(): Promise<boolean> {
    return this.#joinProbe(HEALTH_CHECK_WAIT_MS)
  }

  /** Opens the circuit if the call is not answered in time. */
  async #watch(work: Promise<unknown>): Promise<void> {
    const { clock, timeoutMs } = this.#parts
    if (await isSettledInTime(work, timeoutMs, { unref: true })) return
    this.#downSince ??= clock.now()
    void this.#startProbe()
  }

  async #joinProbe(ms: number): Promise<boolean> {
    const probe = this.#startProbe()
    return (await isSettledWithin(probe, ms)) && probe
  }

  #startProbe(): Promise<boolean> {
    this.#probe ??= this.#readRevision().finally(() => {
      this.#probe = undefined
    })
    return this.#probe
  }

  async #readRevision(): Promise<boolean> {
    const { storage, clock, timeoutMs } = this.#parts
    try {
      const revision = storage.revision(true)
      if (!(await isSettledWithin(revision, timeoutMs, { unref: true })))
        throw new NoAnswer(`the storage did not answer within ${timeoutMs} milliseconds`)
      await revision
      this.#downSince = undefined
      return true
    } catch (error) {
      this.#cause = error
      this.#downSince ??= clock.now()
      return false
    }
  }
}

/** Whether the promise settles within this turn of the event loop, as the calls of a storage in memory do. Such calls need no time limit. */
async function isSettledAtOnce(work: Promise<unknown>): Promise<boolean> {
  let settled = false
  const settle = () => {
    settled = true
  }
  work.then(settle, settle)
  for (let round = 0; round < MICROTASK_ROUNDS && !settled; round++) await undefined
  return settled
}

/** Whether the promise settles within `ms` milliseconds of real time. Needs no timer if it settles at once. */
const isSettledWithin = async (work: Promise<unknown>, ms: number, options?: { readonly unref: boolean }): Promise<boolean> =>
  (await isSettledAtOnce(work)) || isSettledInTime(work, ms, options)

/** Like {@link isSettledWithin}, for a promise that has not settled at once. */
async function isSettledInTime(work: Promise<unknown>, ms: number, options?: { readonly unref: boolean }): Promise<boolean> {
  const timer = new AbortController()
  let settled = false
  const settle = () => {
    settled = true
    timer.abort(SETTLED)
  }
  work.then(settle, settle)
  return systemClock.sleep(ms, timer.signal, options).then(
    () => settled,
    () => true,
  )
}

/** Whether the error is a failure of the store. An error that the caller caused is not. */
const isFault = (error: unknown): boolean => !(error instanceof TypeError || error instanceof KernelError)
