/**
 * The options of `kernel.start` and `kernel.tick`.
 */
import { type OptionNames, type ReadOptions, readOptions } from '../base/options.ts'
import type { StartOptions, TickOptions } from './tick.ts'

const START: OptionNames<StartOptions> = { intervalMs: 1, unref: 1, onTick: 1, onError: 1 }
const TICK: OptionNames<TickOptions> = { limit: 1, signal: 1, onProgress: 1 }

const MAX_INTERVAL_MS = 2 ** 31 - 1

/** @throws TypeError */
export function startOptions(given: StartOptions): ReadOptions<StartOptions> {
  const options = readOptions('start', given, START)
  const { intervalMs = 1, unref, onTick, onError } = options
  if (!(Number.isSafeInteger(intervalMs) && intervalMs >= 1 && intervalMs <= MAX_INTERVAL_MS))
    throw new TypeError(`start: intervalMs must be an integer from 1 to ${MAX_INTERVAL_MS}`)
  if (unref !== undefined && typeof unref !== 'boolean') throw new TypeError('start: unref must be a boolean')
  for (const [name, callback] of Object.entries({ onTick, onError }))
    if (callback !== undefined && typeof callback !== 'function') throw new TypeError(`start: ${name} must be a function`)
  return options
}

/** @throws TypeError */
export const tickOptions = (given: TickOptions): TickOptions => readOptions('tick', given, TICK)
