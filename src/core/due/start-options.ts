/**
 * The options of `kernel.start` and `kernel.tick`.
 */
import { type OptionDuration, type OptionNames, type ReadOptions, readOptions } from '../base/options.ts'
import type { TickOptions, TickResult } from './tick.ts'

/** Options that set how often ticks run automatically. */
export interface StartOptions {
  /** The time between two ticks in milliseconds, 1 to 2,147,483,647. Default: 1,000. */
  readonly intervalMs?: OptionDuration
  /** If true, the timer does not keep the process running. Default: false. Has an effect only in Node. */
  readonly unref?: boolean
  /** Called after each successful tick. Its result contains the failed items, which are also reported as `work.failed` events. */
  readonly onTick?: (result: TickResult) => void
  /** Called after each tick that failed as a whole, for example because the storage did not answer. The next tick tries again. */
  readonly onError?: (error: Error) => void
}

const START: OptionNames<StartOptions> = { intervalMs: 1, unref: 1, onTick: 1, onError: 1 }
const TICK: OptionNames<TickOptions> = { limit: 1, signal: 1, onProgress: 1 }

const DEFAULT_INTERVAL_MS = 1000

const MAX_INTERVAL_MS = 2 ** 31 - 1

export type CheckedStartOptions = ReadOptions<StartOptions> & { readonly intervalMs: number }

/** @throws TypeError */
export function startOptions(given: StartOptions): CheckedStartOptions {
  const options = readOptions('start', given, START)
  const { intervalMs = DEFAULT_INTERVAL_MS, unref, onTick, onError } = options
  if (!(Number.isSafeInteger(intervalMs) && intervalMs >= 1 && intervalMs <= MAX_INTERVAL_MS))
    throw new TypeError(`start: intervalMs must be an integer from 1 to ${MAX_INTERVAL_MS}`)
  if (unref !== undefined && typeof unref !== 'boolean') throw new TypeError('start: unref must be a boolean')
  for (const [name, callback] of Object.entries({ onTick, onError }))
    if (callback !== undefined && typeof callback !== 'function') throw new TypeError(`start: ${name} must be a function`)
  return { ...options, intervalMs }
}

/** @throws TypeError */
export const tickOptions = (given: TickOptions): TickOptions => readOptions('tick', given, TICK)
