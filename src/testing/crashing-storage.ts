import { readOptions } from '../core/base/options.ts'
import type { Op, Storage } from '../core/storage/port.ts'
import { interceptedStorage, type StorageMethod } from './intercepted-storage.ts'

/** The error of every call after the crash. Unlike OutcomeUnknown, it does not allow a retry. */
export class Crashed extends Error {
  override readonly name = 'Crashed'
}

export interface CrashingStorageOptions {
  /**
   * The number of the commit that crashes, from 1, or a function that is called for each commit and decides whether it crashes. Absent: no commit
   * crashes, so that a first run can count the commits.
   */
  readonly crashAt?: number | ((ops: readonly Op[]) => 'before' | 'after' | undefined)
  /** Whether the crash happens before or after the commit takes effect. In both cases the caller gets no answer. Default: 'before'. */
  readonly when?: 'before' | 'after'
}

export interface CrashingStorage extends Storage {
  /** The number of commits so far, including the one that crashed. */
  readonly commits: number
  readonly crashed: boolean
}

/**
 * Wraps a storage and simulates a process that crashes at its n-th commit: that commit, all calls in progress and all later calls reject with
 * {@link Crashed}, and watchers receive nothing. `inner` stays open for the kernel that is started next. A test runs an operation once for each n,
 * opens the store again, and must find the state before or after the operation, but nothing in between.
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
    /** A call that was in progress when the process crashed gets no answer, either. */
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
    /** A crashed process closes nothing, but a test may call `close` to clean up. */
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
