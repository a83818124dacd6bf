/** The used part of the package `lmdb`, typed structurally, so that users who do not install it do not need its types. */

export interface Range {
  readonly start?: Buffer
  /** Exclusive. */
  readonly end?: Buffer
  readonly reverse?: boolean
  readonly limit?: number
}

/** Inside a transaction reads and writes take effect at once, and the promises of writes mean nothing. */
export interface Table {
  /** A copy. */
  getBinary(key: Buffer): Buffer | undefined
  /** Valid until the next read of any table. */
  getBinaryFast(key: Buffer): Buffer | undefined
  getKeys(range: Range): Iterable<Buffer>
  getRange(range: Range): Iterable<{ readonly key: Buffer; readonly value: Buffer }>
  put(key: Buffer, value: Buffer): Promise<boolean>
  remove(key: Buffer): Promise<boolean>
}

/** The package references it only weakly: while it has to stay open, the caller must keep it reachable. */
export interface ReadTransaction {
  /** Ends the use. The transaction is aborted after its last use. */
  done(): void
}

export interface Root {
  openDB(options: { readonly name: string; readonly encoding: 'binary'; readonly keyEncoding: 'binary' }): Table
  transactionSync<T>(action: () => T): T
  /** Runs `action` in the next write transaction and undoes it when it throws; resolves when that transaction is on disk. */
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
    /** Bytes of address space; by default enough for what the file holds, and mapped again when that grows. */
    readonly mapSize?: number
    readonly encoding: 'binary'
    readonly keyEncoding: 'binary'
  }): Root
}

/**
 * Ignores a promise of the driver whose failure is known elsewhere or cannot be acted on: that of a write inside a transaction,
 * which fails as a whole, and that of closing what could not be opened. An unhandled rejection would end the process.
 */
export function unheeded(promise: Promise<unknown>): void {
  promise.catch(() => undefined)
}
