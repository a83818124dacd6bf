/**
 * Node threads that compute outside of the event loop.
 */
import { type OptionDuration, readOptions } from '../../core/base/options.ts'
import type { WorkersPort } from '../../core/contract/workers-port.ts'
import { Pool } from './pool.ts'

export interface NodeWorkersOptions {
  /**
   * The time limit of an answer in milliseconds. A thread that exceeds it is ended and replaced, and its tasks run on the event loop. 1 to
   * 3,600,000; default 15,000.
   */
  readonly timeoutMs?: OptionDuration
}

const MAX_THREADS = 256
const DEFAULT_TIMEOUT_MS = 15_000
const MAX_TIMEOUT_MS = 3_600_000

/**
 * Threads for the option `workers` of one or more kernels. They run batches and `rewrapAll` if an item takes longer to compute than to
 * transfer, and single computations that would block the event loop: elliptic curves and long values with the noble libraries, and RSA.
 *
 * The threads start with the first kernel and end when the last kernel is closed. An idle thread does not keep the process alive. Key bytes
 * are in memory that the threads share with the kernel. The kernel wipes this memory when it wipes the key. Between two tasks, a thread has
 * no other copies of key bytes. If a thread dies or is ended, its tasks run on the event loop.
 * @param n The number of threads, 1 to 256. Start with the number of processors minus one, because the event loop uses one processor.
 * @throws TypeError for an invalid number of threads, and for invalid options.
 */
export function nodeWorkers(n: number, options: NodeWorkersOptions = {}): WorkersPort {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = readOptions('nodeWorkers', options, { timeoutMs: 1 })
  if (!isWhole(n, MAX_THREADS))
    throw new TypeError(`nodeWorkers: the number of threads must be a whole number from 1 to ${MAX_THREADS}`)
  if (!isWhole(timeoutMs, MAX_TIMEOUT_MS))
    throw new TypeError(`nodeWorkers: timeoutMs must be a whole number of milliseconds from 1 to ${MAX_TIMEOUT_MS}`)
  return new Pool(new URL('./program.js', import.meta.url), n, timeoutMs)
}

const isWhole = (value: unknown, most: number): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most
