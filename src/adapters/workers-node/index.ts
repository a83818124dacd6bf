/**
 * Threads of Node that compute beside the event loop.
 */
import { type OptionDuration, readOptions } from '../../core/base/options.ts'
import type { WorkersPort } from '../../core/contract/workers-port.ts'
import { Pool } from './pool.ts'

export interface NodeWorkersOptions {
  /**
   * Milliseconds: a thread that owes an answer for longer is ended and replaced, and what it owed is done on the event loop. 1 to
   * 3,600,000; default 15,000.
   */
  readonly timeoutMs?: OptionDuration
}

const MAX_THREADS = 256
const DEFAULT_TIMEOUT_MS = 15_000
const MAX_TIMEOUT_MS = 3_600_000

/**
 * Threads for the option `workers` of one or several kernels. They take batches, `rewrapAll`, and single computations that would hold the
 * event loop: what the noble libraries do with curves and long values, and RSA. They start with the first kernel and end when the last one
 * is closed; an idle thread keeps no process alive. Key bytes are in memory that they share with the kernel, which wipes it with the key;
 * between two orders a thread holds no others. What a thread does not answer, because it died or was ended, is done on the event loop.
 * @param n How many threads: a whole number, 1 to 256. As many as there are processors beside the one of the event loop are a good start.
 * @throws TypeError for another number of threads, and for wrong options.
 */
export function nodeWorkers(n: number, options: NodeWorkersOptions = {}): WorkersPort {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = readOptions('nodeWorkers', options, { timeoutMs: 1 })
  if (!isWhole(n, MAX_THREADS)) throw new TypeError(`nodeWorkers: takes a whole number of threads, 1 to ${MAX_THREADS}`)
  if (!isWhole(timeoutMs, MAX_TIMEOUT_MS))
    throw new TypeError(`nodeWorkers: timeoutMs is a whole number of milliseconds, 1 to ${MAX_TIMEOUT_MS}`)
  return new Pool(new URL('./program.js', import.meta.url), n, timeoutMs)
}

const isWhole = (value: unknown, most: number): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most
