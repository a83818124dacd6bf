/** A store that fails on demand. */

import type { Clock } from '../core/base/clock.ts'
import { readOptions } from '../core/base/options.ts'
import { OutcomeUnknown, type Storage } from '../core/storage/port.ts'
import { interceptedStorage, type StorageMethod } from './intercepted-storage.ts'

/** A call to the store. */
export interface StorageCall {
  /** The number of the call, from 1, counting all methods together. */
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

/** Chooses the fault of a call; undefined: none. */
export type FaultPlan = (call: StorageCall) => Fault | undefined

export interface FaultyStorageOptions {
  /** Delays late answers. Default: the event loop, of which `ms` then counts turns. */
  readonly clock?: Pick<Clock, 'sleep'>
  /** The delay of late answers: milliseconds of the clock, default 10. */
  readonly ms?: number
}

export interface FaultyStorage extends Storage {
  /** All calls in order: a first run without faults tells how many calls a piece of work makes, and of which kinds. */
  readonly calls: readonly StorageMethod[]
}

/** The error of calls that fail. */
export class StorageFault extends Error {
  override readonly name = 'StorageFault'
}

/**
 * `inner`, with the faults of a plan. A test runs a piece of work once for every n and every fault. Each time it checks that no
 * acknowledged write is lost, and that the kernel goes on as before once the fault is gone: `faultyStorage(memoryStorage(), ({ n
 * }) => (n === 17 ? 'lost after' : undefined))`.
 */
export function faultyStorage(inner: Storage, plan: FaultPlan, options: FaultyStorageOptions = {}): FaultyStorage {
  const { clock, ms = 10 } = readOptions('faultyStorage', options, { clock: 1, ms: 1 })
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
    /** A synchronous call fails at once or not at all: it cannot be late. */
    aroundSync(work) {
      const fault = planned('getSync')
      if (fault !== undefined && fault !== 'late' && fault !== 'silent') throw failure('getSync')
      return work()
    },
    close: () => inner.close(),
  })
  return { ...storage, calls }
}
