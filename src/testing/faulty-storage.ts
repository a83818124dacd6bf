import type { Clock } from '../core/base/clock.ts'
import { readOptions } from '../core/base/options.ts'
import { OutcomeUnknown, type Storage } from '../core/storage/port.ts'
import { interceptedStorage, type StorageMethod } from './intercepted-storage.ts'

/** A call of a storage method. */
export interface StorageCall {
  /** The number of the call, counted from 1 over all methods. */
  readonly n: number
  readonly method: StorageMethod
}

/**
 * How a call fails.
 *
 * - `error`: the call rejects and has no effect.
 * - `late`: the call takes effect, and the answer is late.
 * - `late error`: the call rejects late, as after a timeout, and has no effect.
 * - `lost before`, `lost after`: the connection is lost before or after the call takes effect. A commit rejects with OutcomeUnknown, other
 *   calls reject with an error.
 * - `silent`: the call has no effect and its promise never settles. The port does not allow this.
 */
export type Fault = 'error' | 'late' | 'late error' | 'lost before' | 'lost after' | 'silent'

/** Returns the fault of a call, or undefined if the call has no fault. */
export type FaultPlan = (call: StorageCall) => Fault | undefined

export interface FaultyStorageOptions {
  /** The clock that delays late answers. If absent, the delay is counted in turns of the event loop. */
  readonly clock?: Pick<Clock, 'sleep'>
  /** The delay of late answers: in milliseconds if there is a `clock`, otherwise in turns of the event loop. Default: 10. */
  readonly ms?: number
}

export interface FaultyStorage extends Storage {
  /** All calls, the oldest first. A first run without faults shows which calls an operation makes. */
  readonly calls: readonly StorageMethod[]
}

/** The error of a call that the plan made fail. */
export class StorageFault extends Error {
  override readonly name = 'StorageFault'
}

/**
 * Wraps a storage so that a plan decides which calls fail. A typical test runs an operation once for every call number n and every fault.
 * After each run, the test checks that no acknowledged write is lost and that the kernel has recovered from the fault.
 * @example
 * faultyStorage(memoryStorage(), ({ n }) => (n === 17 ? 'lost after' : undefined))
 */
export function faultyStorage(inner: Storage, plan: FaultPlan, options: FaultyStorageOptions = {}): FaultyStorage {
  const { clock, ms = 10 } = readOptions('faultyStorage', options, { clock: 1, ms: 1 })
  const calls: StorageMethod[] = []

  const planned = (method: StorageMethod): Fault | undefined => plan({ n: calls.push(method), method })

  const wait = async (): Promise<void> => {
    if (clock) return clock.sleep(ms)
    for (let turns = ms; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
  }

  const failure = (method: StorageMethod): StorageFault =>
    new StorageFault(`faultyStorage: the plan made call ${calls.length} (${method}) fail`)

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
    /** A synchronous call cannot be late or stay unanswered, so the faults `late` and `silent` have no effect on it. */
    aroundSync(work) {
      const fault = planned('getSync')
      if (fault !== undefined && fault !== 'late' && fault !== 'silent') throw failure('getSync')
      return work()
    },
    close: () => inner.close(),
  })
  return { ...storage, calls }
}
