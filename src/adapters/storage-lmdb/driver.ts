/** The used part of the package `lmdb`, typed structurally, so that users who do not install it do not need its types. */

export interface Range {
  readonly start?: Buffer
  /** Exclusive end. */
  readonly end?: Buffer
  readonly reverse?: boolean
  readonly limit?: number
}

/** Inside a transaction reads and writes take effect immediately, and the promises of writes have no meaning. */
export interface Table {
  /** Returns a copy. */
  getBinary(key: Buffer): Buffer | undefined
  /** Valid until the next read of any table. */
  getBinaryFast(key: Buffer): Buffer | undefined
  getKeys(range: Range): Iterable<Buffer>
  getRange(range: Range): Iterable<{ readonly key: Buffer; readonly value: Buffer }>
  put(key: Buffer, value: Buffer): Promise<boolean>
  remove(key: Buffer): Promise<boolean>
}

/** The package references it only weakly: the caller must keep it reachable while it has to stay open. */
export interface ReadTransaction {
  /** Ends the use. The transaction is aborted after its last use. */
  done(): void
}

export interface Root {
  openDB(options: { readonly name: string; readonly encoding: 'binary'; readonly keyEncoding: 'binary' }): Table
  transactionSync<T>(action: () => T): T
  /** Runs `action` in the next write transaction and undoes it if it throws; resolves when that transaction is on disk. */
  childTransaction<T>(action: () => T): Promise<T>
  /** Makes commits of other processes visible to the next read. */
  resetReadTxn(): void
  /** Frees the pages held by readers of dead processes; returns the number of those readers. */
  readerCheck(): number
  /** A line for each reader, of all processes. */
  readerList(): string
  /** Keeps an entry in that list until the environment is closed, the result is garbage collected, or the process ends. */
  useReadTransaction(): ReadTransaction
  /** Copies a snapshot of the environment into a new file, while others read and write. */
  backup(path: string, compact: boolean): Promise<void>
  close(): Promise<void>
}

export interface Lmdb {
  open(options: {
    readonly path: string
    readonly noSubdir: boolean
    readonly overlappingSync: boolean
    /** When true, the package makes promises that no caller gets, and a failed transaction ends the process by their rejection. */
    readonly eventTurnBatching: false
    /** Bytes of address space. By default, enough for the file; it is mapped again when the file grows. */
    readonly mapSize?: number
    readonly encoding: 'binary'
    readonly keyEncoding: 'binary'
  }): Root
}

/**
 * Ignores a promise of the driver whose failure is reported elsewhere or cannot be handled: that of a write inside a transaction, which
 * fails as a whole, and that of closing an environment that failed to open. An unhandled rejection would end the process.
 */
export function ignoreRejection(promise: Promise<unknown>): void {
  promise.catch(() => undefined)
}
