/** A process that dies in the middle of its work, as the store sees it. */
import { readOptions } from '../core/base/options.ts'
import type { Op, Storage } from '../core/storage/port.ts'
import { interceptedStorage, type StorageMethod } from './intercepted-storage.ts'

/** The error of a dead process' storage: a hard failure that does not invite a retry. */
export class Crashed extends Error {
  override readonly name = 'Crashed'
}

export interface CrashingStorageOptions {
  /**
   * The number of the commit that crashes, from 1; or a function that is asked at each commit, in their order, where the crash is decided
   * while the kernel runs. Without it none does, which is how a first run counts them.
   */
  readonly crashAt?: number | ((ops: readonly Op[]) => 'before' | 'after' | undefined)
  /** Whether that commit still takes effect: 'after' means that it did, but the caller gets no answer. Default 'before'. */
  readonly when?: 'before' | 'after'
}

export interface CrashingStorage extends Storage {
  /** Commits requested so far, including the crashing one. */
  readonly commits: number
  readonly crashed: boolean
}

/**
 * `inner` until the n-th commit. From then on that commit, every call under way and every later one rejects with {@link Crashed},
 * and watchers are silent. `inner` itself stays open and intact, for the kernel that is started next: a test runs an operation
 * once for each n, reopens, and finds the state before or after, never between.
 */
export function crashingStorage(inner: Storage, options: CrashingStorageOptions = {}): CrashingStorage {
  const { crashAt, when = 'before' } = readOptions('crashingStorage', options, { crashAt: 1, when: 1 })
  const crashOf = typeof crashAt === 'function' ? crashAt : () => (commits === crashAt ? when : undefined)
  let commits = 0
  let crashed = false

  const assertAlive = (): void => {
    if (crashed) throw new Crashed('this process has crashed')
  }

  const storage = interceptedStorage(inner, {
    /** A call under way at the crash never gets its answer. */
    async around<T>(_: StorageMethod, work: () => Promise<T>, ops?: readonly Op[]): Promise<T> {
      assertAlive()
      if (ops) {
        const nth = ++commits
        const crash = crashOf(ops)
        if (crash === 'after') await work()
        if (crash) {
          crashed = true
          throw new Crashed(`this process has crashed ${crash} its commit number ${nth}`)
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
    /** A dead process closes nothing, and cleaning up after it is no error. */
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
