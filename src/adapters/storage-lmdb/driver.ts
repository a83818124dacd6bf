/** The part of the package `lmdb` that is used here, typed structurally, so that users who do not install `lmdb` do not need its types. */

export interface Range {
  readonly start?: Buffer
  /** The exclusive end. */
  readonly end?: Buffer
  readonly reverse?: boolean
  readonly limit?: number
}

/** Inside a transaction, reads see its writes immediately, and the promises that writes return have no meaning. */
export interface Table {
  /** Returns a copy of the value. */
  getBinary(key: Buffer): Buffer | undefined
  /** The result is valid until the next read of any table. */
  getBinaryFast(key: Buffer): Buffer | undefined
  getKeys(range: Range): Iterable<Buffer>
  getRange(range: Range): Iterable<{ readonly key: Buffer; readonly value: Buffer }>
  put(key: Buffer, value: Buffer): Promise<boolean>
  remove(key: Buffer): Promise<boolean>
}

/**
 * The package has only a weak reference to a read transaction, so the caller must keep the transaction reachable for as long as it must
 * stay open.
 */
export interface ReadTransaction {
  /** Ends one use. LMDB aborts the transaction when its last use has ended. */
  done(): void
}

export interface Root {
  openDB(options: { readonly name: string; readonly encoding: 'binary'; readonly keyEncoding: 'binary' }): Table
  transactionSync<T>(action: () => T): T
  /** Runs `action` in the next write transaction and undoes its writes if it throws. Resolves when the transaction is on disk. */
  childTransaction<T>(action: () => T): Promise<T>
  /** The number of the running write transaction. */
  getWriteTxnId(): number
  /** Makes commits of other processes visible to the next read. */
  resetReadTxn(): void
  /** Frees the pages held by readers of dead processes; returns the number of those readers. */
  readerCheck(): number
  /** Lists the readers of all processes, one per line. */
  readerList(): string
  /**
   * Begins a read transaction. It is in the reader list until the environment is closed, the result is garbage collected, or the process
   * ends.
   */
  useReadTransaction(): ReadTransaction
  /** Copies a snapshot of the environment into a new file, while others read and write. */
  backup(path: string, compact: boolean): Promise<void>
  close(): Promise<void>
}

/** Keys and values are bytes. */
export const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const

export interface LmdbFileOptions {
  readonly path: string
  readonly noSubdir: boolean
  readonly overlappingSync: boolean
  /**
   * If true, the package creates promises that no caller gets. After a failed transaction, their unhandled rejections would end the
   * process.
   */
  readonly eventTurnBatching: false
  /** The address space in bytes. By default it suffices for the current file, and the file is mapped again when it grows. */
  readonly mapSize?: number
  readonly encoding: 'binary'
  readonly keyEncoding: 'binary'
}

/** The class of the tables of an open file. */
interface LmdbStoreClass {
  /** Opens the table that contains the other tables. */
  new (name: null, options: LmdbFileOptions & { readonly isRoot: true }): Root
  readonly prototype: Root
}

export interface Lmdb {
  /** Opens a file, but no table. */
  openAsClass(options: LmdbFileOptions): LmdbStoreClass
}

/**
 * Ignores the rejection of a driver's promise, because an unhandled rejection would end the process. Used for a write inside a transaction,
 * where the failure makes the whole transaction fail, and for closing an environment that failed to open.
 */
export function ignoreRejection(promise: Promise<unknown>): void {
  promise.catch(() => undefined)
}
