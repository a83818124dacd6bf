/**
 * Write transactions of a file that several processes open.
 *
 * LMDB numbers write transactions, and keeps the number of the newest one in the lock file. The next write transaction starts from the
 * state with that number. When a process opens the file, the package `lmdb` (3.5.6) sets that number to the one that it has read from the
 * data file a moment before, although another process may have committed meanwhile. The next write transaction would then start from an
 * older state, and overwrite a commit that is on disk and was acknowledged.
 *
 * So each write transaction first checks that its number follows the newest number in the data file. If it does not, the number in the lock
 * file is corrected, and the transaction is undone and run again. While a write transaction runs, no other process can commit.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import type { Root } from './driver.ts'
import { readAt } from './files.ts'
import { isLockFile, LOCK_BYTES, LOCK_TRANSACTION_AT, META_BYTES, readMetaPage, transactionBytes } from './layout.ts'

/** Each try can fail only because yet another process opens the file at the same time. */
const MAX_TRIES = 100

/** Thrown inside a write transaction to undo it. */
class OldState extends Error {}

export type WriteTransactions = Pick<Root, 'transactionSync' | 'childTransaction'>

export class CheckedTransactions implements WriteTransactions {
  readonly #root: Root
  readonly #dataFile: number
  readonly #lockPath: string
  #lockFile: number | undefined

  constructor(root: Root, dataPath: string, lockPath: string) {
    this.#root = root
    this.#dataFile = openSync(dataPath, 'r')
    this.#lockPath = lockPath
  }

  transactionSync<T>(action: () => T): T {
    for (let tries = 1; ; tries++) {
      try {
        return this.#root.transactionSync(() => this.#checked(action))
      } catch (error) {
        if (!(error instanceof OldState) || tries === MAX_TRIES) throw error
      }
    }
  }

  async childTransaction<T>(action: () => T): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#root.childTransaction(() => this.#checked(action))
      } catch (error) {
        if (!(error instanceof OldState) || tries === MAX_TRIES) throw error
      }
    }
  }

  close(): void {
    // Do not close the lock file: that would release all locks that this process has on it, such as those of other holders.
    closeSync(this.#dataFile)
  }

  #checked<T>(action: () => T): T {
    const newest = this.#newestTransaction()
    if (this.#root.getWriteTxnId() !== newest + 1) {
      this.#correctLockFile(newest)
      throw new OldState('other processes open the store too often')
    }
    return action()
  }

  /** The number of the newest transaction in the data file. Each of its two meta pages has the number of the transaction that wrote it. */
  #newestTransaction(): number {
    const first = readMetaPage(readWhole(this.#dataFile, META_BYTES, 0))
    const second = readMetaPage(readWhole(this.#dataFile, META_BYTES, first.free.pad))
    return Math.max(first.transaction, second.transaction)
  }

  #correctLockFile(newest: number): void {
    this.#lockFile ??= openSync(this.#lockPath, 'r+')
    if (!isLockFile(readWhole(this.#lockFile, LOCK_BYTES, 0))) throw new Error('the lock file was not written by LMDB')
    writeSync(this.#lockFile, transactionBytes(newest), 0, undefined, LOCK_TRANSACTION_AT)
  }
}

function readWhole(file: number, bytes: number, position: number): DataView {
  const view = readAt(file, bytes, position)
  if (!view) throw new Error('a file of the store is truncated')
  return view
}
