/**
 * A process that dies in the middle of its work, seen from the store.
 */
import type { Storage } from '../core/storage/port.ts'
import { interceptedStorage, type StorageMethod } from './intercepted-storage.ts'

/** What a dead process' storage answers: a hard failure, and not one that invites to ask again. */
export class Crashed extends Error {
  override readonly name = 'Crashed'
}

export interface CrashingStorageOptions {
  /** The commit that crashes, from 1. Without it none does, which is how a first run counts them. */
  readonly crashAt?: number
  /** Whether that commit still takes effect: 'after' it did, only nobody was told. Default 'before'. */
  readonly when?: 'before' | 'after'
}

export interface CrashingStorage extends Storage {
  /** Commits asked for so far, the crashing one included. */
  readonly commits: number
  readonly crashed: boolean
}

/**
 * `inner` until the n-th commit, and from then on nothing: that commit, every call under way and every later one rejects with
 * {@link Crashed}, and watchers hear nothing more. `inner` itself stays open and intact, for the kernel that is started next:
 * a test runs an operation once for each n, reopens, and finds the state before or after, never between.
 */
export function crashingStorage(inner: Storage, options: CrashingStorageOptions = {}): CrashingStorage {
  const { crashAt, when = 'before' } = options
  let commits = 0
  let crashed = false

  const assertAlive = (): void => {
    if (crashed) throw new Crashed('this process has crashed')
  }

  const storage = interceptedStorage(inner, {
    /** What was asked before the crash and answered after it was never answered. */
    async around<T>(method: StorageMethod, work: () => Promise<T>): Promise<T> {
      assertAlive()
      if (method === 'commit' && ++commits === crashAt) {
        if (when === 'after') await work()
        crashed = true
        throw new Crashed(`this process has crashed ${when} its commit number ${commits}`)
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
    /** The dead close nothing, and cleaning up after them is no error. */
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
