/**
 * A store that fails when it is told to.
 */
import type { Clock } from '../core/base/clock.ts'
import { OutcomeUnknown, type Storage } from '../core/storage/port.ts'
import { interceptedStorage, type StorageMethod } from './intercepted-storage.ts'

/** What was asked of the store. */
export interface StorageCall {
  /** Calls are counted from 1, of all methods together. */
  readonly n: number
  readonly method: StorageMethod
}

/**
 * - `error`: nothing is done, and the call rejects.
 * - `late`: it is done, and answered late.
 * - `late error`: nothing is done, and the call rejects late, as after a time limit.
 * - `lost before`, `lost after`: the connection is gone. A commit took no effect, or it did, and rejects with OutcomeUnknown; anything else
 *   rejects.
 * - `silent`: it is never answered, nor done. No storage should do that: see the port.
 */
export type Fault = 'error' | 'late' | 'late error' | 'lost before' | 'lost after' | 'silent'

/** What befalls a call; undefined: nothing. */
export type FaultPlan = (call: StorageCall) => Fault | undefined

export interface FaultyStorageOptions {
  /** Who waits for late answers. Default: the event loop, which `ms` then counts turns of. */
  readonly clock?: Pick<Clock, 'sleep'>
  /** How late is late: milliseconds of the clock, default 10. */
  readonly ms?: number
}

export interface FaultyStorage extends Storage {
  /** All that was asked, in order: a first run without faults tells how many calls a piece of work makes, and of what kinds. */
  readonly calls: readonly StorageMethod[]
}

/** What the calls that fail reject with. */
export class StorageFault extends Error {
  override readonly name = 'StorageFault'
}

/**
 * `inner`, with the faults of a plan. A test runs a piece of work once for every n and every fault, and finds each time that nothing that was
 * acknowledged is lost, and that the kernel goes on as if nothing had been when the fault is gone:
 * `faultyStorage(memoryStorage(), ({ n }) => (n === 17 ? 'lost after' : undefined))`.
 */
export function faultyStorage(inner: Storage, plan: FaultPlan, options: FaultyStorageOptions = {}): FaultyStorage {
  const { clock, ms = 10 } = options
  const calls: StorageMethod[] = []

  const planned = (method: StorageMethod): Fault | undefined => plan({ n: calls.push(method), method })

  const wait = async (): Promise<void> => {
    if (clock) return clock.sleep(ms)
    for (let turns = ms; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
  }

  const failure = (method: StorageMethod): StorageFault => new StorageFault(`call ${calls.length}, ${method}, was to fail`)

  const storage = interceptedStorage(inner, {
    async around<T>(method: StorageMethod, work: () => Promise<T>): Promise<T> {
      const fault = planned(method)
      const error = failure(method)
      if (fault === undefined) return work()
      if (fault === 'silent') return new Promise(() => {})
      if (fault === 'late' || fault === 'lost after') {
        const answer = await work()
        if (fault === 'late') return wait().then(() => answer)
      }
      if (fault === 'late error') await wait()
      throw method === 'commit' && fault.startsWith('lost') ? new OutcomeUnknown(error.message) : error
    },
    /** It fails at once or not at all: what is asked so has no time to be late. */
    aroundSync(work) {
      const fault = planned('getSync')
      if (fault !== undefined && fault !== 'late' && fault !== 'silent') throw failure('getSync')
      return work()
    },
    close: () => inner.close(),
  })
  return { ...storage, calls }
}
