/** Opens a file of LMDB. */
import { BINARY, ignoreRejection, type Lmdb, type LmdbFileOptions, type Root } from './driver.ts'

/** Without overlapping sync, the promise of a transaction resolves only when the transaction is on disk, not when reads begin to see it. */
const FIXED_OPTIONS = { overlappingSync: false, eventTurnBatching: false, ...BINARY } as const

const MAX_TRIES = 50
const MAX_PAUSE_MS = 5

/** The message if a transaction could not begin, for any reason. */
const NO_TRANSACTION = 'No transaction to renew'

/** Blocks the thread, because opening is synchronous. The pauses are random, so that several processes do not try again at the same times. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * MAX_PAUSE_MS)
}

/**
 * Opens a file. If the last process that has it open closes it at the same moment, the locks in the lock file are destroyed, and every
 * transaction fails (lmdb 3.5.6). Then the file is closed and opened again.
 *
 * Does not use the package's function `open`: if that fails, the file stays open, and each further attempt of this process uses the same
 * locks.
 */
export function openRoot(lmdb: Lmdb, file: Pick<LmdbFileOptions, 'path' | 'noSubdir' | 'mapSize'>): Root {
  const options = { ...file, ...FIXED_OPTIONS }
  for (let tries = 1; ; tries++) {
    const Store = lmdb.openAsClass({ ...options })
    try {
      return new Store(null, { ...options, isRoot: true })
    } catch (error) {
      ignoreRejection(Store.prototype.close.call({ isRoot: true } as never))
      if (!(error as Error).message.includes(NO_TRANSACTION) || tries === MAX_TRIES) throw error
    }
    pause()
  }
}
