/**
 * What is used of the package `lmdb`, told structurally so that its types are needed by nobody who does not install it.
 */

export interface Range {
  readonly start?: Buffer
  /** Exclusive. */
  readonly end?: Buffer
  readonly reverse?: boolean
  readonly limit?: number
}

/** Inside a transaction reads and writes take effect at once, and the promises that writes return mean nothing. */
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

export interface Root {
  openDB(options: { readonly name: string; readonly encoding: 'binary'; readonly keyEncoding: 'binary' }): Table
  transactionSync<T>(action: () => T): T
  /** Runs `action` in the next write transaction, undone when it throws; resolves when that transaction is on disk. */
  childTransaction<T>(action: () => T): Promise<T>
  /** Lets the next read see what others have committed. */
  resetReadTxn(): void
  /** Frees what readers of dead processes hold on to; returns how many there were. */
  readerCheck(): number
  /** A line for each reader of all processes. */
  readerList(): string
  /** Keeps a place in that list until the environment is closed or the process ends. */
  useReadTransaction(): unknown
  /** Copies the environment as it is now into a new file, while others read and write. */
  backup(path: string, compact: boolean): Promise<void>
  close(): Promise<void>
}

export interface Lmdb {
  open(options: {
    readonly path: string
    readonly noSubdir: boolean
    readonly overlappingSync: boolean
    /** With it the package makes promises that it gives to nobody, and a failed transaction ends the process by them. */
    readonly eventTurnBatching: false
    readonly encoding: 'binary'
    readonly keyEncoding: 'binary'
  }): Root
}

/**
 * For a promise of the driver that says nothing, or nothing that anybody could do something about: that of a write inside a transaction,
 * which fails as a whole, and that of closing what could not be opened. Unhandled it would end the process.
 */
export function unheeded(promise: Promise<unknown>): void {
  promise.catch(() => undefined)
}
