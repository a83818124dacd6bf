import { readOptions } from '../core/base/options.ts'
import type { Op, Storage } from '../core/storage/port.ts'
import { interceptedStorage, type StorageMethod } from './intercepted-storage.ts'

/** The error with which every call rejects after the crash. Unlike OutcomeUnknown, it does not make the kernel retry the call. */
export class Crashed extends Error {
  override readonly name = 'Crashed'
}

export interface CrashingStorageOptions {
  /**
   * At which commit the process crashes: a number, counted from 1, or a function that is called for each commit and returns whether the
   * process crashes before or after the commit takes effect. If absent, the process never crashes, and `commits` counts the commits.
   */
  readonly crashAt?: number | ((ops: readonly Op[]) => 'before' | 'after' | undefined)
  /**
   * If `crashAt` is a number: whether the process crashes before or after that commit takes effect. The caller gets no result of the
   * commit. Default: 'before'.
   */
  readonly when?: 'before' | 'after'
}

export interface CrashingStorage extends Storage {
  /** The number of commits so far, including the commit that crashed. */
  readonly commits: number
  readonly crashed: boolean
}

/**
 * Wraps a storage and simulates a process that crashes at a certain commit. This commit, all calls in progress and all later calls reject
 * with {@link Crashed}, and watchers receive no further changes. `inner` stays open for the kernel that the test starts next. A typical
 * test runs an operation once for each commit number n, opens the store again, and checks that it finds the state before or after the
 * operation, but no intermediate state.
 */
export function crashingStorage(inner: Storage, options: CrashingStorageOptions = {}): CrashingStorage {
  const { crashAt, when = 'before' } = readOptions('crashingStorage', options, { crashAt: 1, when: 1 })
  const crashOf = typeof crashAt === 'function' ? crashAt : () => (commits === crashAt ? when : undefined)
  let commits = 0
  let crashed = false

  const assertAlive = (): void => {
    if (crashed) throw new Crashed('crashingStorage: the process has crashed')
  }

  const storage = interceptedStorage(inner, {
    /** Checks again after `work`: a call that was in progress at the time of the crash must not return a result, either. */
    async around<T>(_: StorageMethod, work: () => Promise<T>, ops?: readonly Op[]): Promise<T> {
      assertAlive()
      if (ops) {
        const nth = ++commits
        const crash = crashOf(ops)
        if (crash === 'after') await work()
        if (crash) {
          crashed = true
          throw new Crashed(`crashingStorage: the process has crashed ${crash} commit number ${nth}`)
        }
      }
      try {
        return await work()
      } finally {
        assertAlive()
      }
    },
    aroundSync(work) {
      assertAlive()
      return work()
    },
    listener: (onChange) => (change) => {
      if (!crashed) onChange(change)
    },
    /** After the crash, `close` does nothing: a crashed process would not close its storage, but tests call `close` to clean up. */
    close: async () => (crashed ? undefined : inner.close()),
  })
  return {
    ...storage,
    get commits() {
      return commits
    },
    get crashed() {
      return crashed
    },
  }
}
