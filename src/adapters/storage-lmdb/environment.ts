/** One directory with an LMDB environment, and the tables inside. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { KernelError } from '../../core/base/errors.ts'
import { numberBytes, readNumber } from './bytes.ts'
import { CheckedTransactions, type WriteTransactions } from './checked-transactions.ts'
import { BINARY, ignoreRejection, type Lmdb, type Root, type Table } from './driver.ts'
import { DATA_FILE, LOCK_FILE, prepareFiles } from './files.ts'
import { type Holding, holdStore } from './holders.ts'
import { openRoot } from './open-root.ts'
import { validateFile } from './validate-file.ts'

/** Increased when older versions of strongroom can no longer read what this version writes. */
const FORMAT = 1
const FORMAT_KEY = Buffer.from('format')

/** Writes the format of a new store. @throws Error if a newer version of strongroom wrote the store. */
function stampFormat(meta: Table): void {
  const stamp = meta.getBinary(FORMAT_KEY)
  if (!stamp) {
    ignoreRejection(meta.put(FORMAT_KEY, numberBytes(FORMAT)))
    return
  }
  const format = readNumber(stamp)
  if (format !== FORMAT) throw new Error(`it has format ${format}; this version of strongroom reads formats up to ${FORMAT}`)
}

export interface LmdbEnvironment {
  readonly root: Root
  /** Runs the write transactions. */
  readonly transactions: WriteTransactions
  /** Records by key, including the records of logs. */
  readonly data: Table
  /** The store's format, and the verdicts that were moved out of the head. */
  readonly meta: Table
  /** Contains only the head of the store (see `head.ts`), so that this table takes one page. */
  readonly head: Table
  /** The last assigned index of each log. */
  readonly logs: Table
  /** The changed keys of recent transactions, under the transaction's last revision. Written only if the store is shared. */
  readonly changes: Table
  close(): Promise<void>
}

/**
 * Address space for a file that other processes extend. If the file outgrows its map, the package maps it again in the thread that notices
 * first. If two threads do so at the same time, they record a wrong length, and closing the environment then unmaps memory after the file,
 * such as code. So the map has 64 GiB from the start.
 */
const SHARED_MAP = { mapSize: 68_719_476_736 } as const

/**
 * Loads the optional peer dependency when the first storage is opened. Loading is synchronous, so that opening needs no promise.
 * @throws Error that names the package, if it is not installed or does not run on this platform.
 */
export function loadLmdb(load: (name: string) => unknown = createRequire(import.meta.url)): Lmdb {
  try {
    return load('lmdb') as Lmdb
  } catch (cause) {
    const absent = (cause as { code?: unknown } | null)?.code === 'MODULE_NOT_FOUND'
    const what = absent ? 'is an optional peer dependency: npm install lmdb' : 'could not be loaded'
    throw new Error(`lmdbStorage needs the package 'lmdb', which ${what}`, { cause })
  }
}

/**
 * @param shared Whether other holders may have the store open at the same time.
 * @throws Error if the package is missing, the directory cannot be used, its file is damaged, another holder has the store open, or a newer
 * version of strongroom wrote it.
 */
export function openEnvironment(path: string, shared: boolean): LmdbEnvironment {
  const lmdb = loadLmdb()
  const opened: { holding?: Holding; root?: Root; checked?: CheckedTransactions } = {}
  const close = async (): Promise<void> => {
    // Release the holder last, because the next holder may open the store only when this process no longer writes.
    await opened.root?.close()
    opened.checked?.close()
    await opened.holding?.release()
  }
  try {
    prepareFiles(path)
    opened.holding = holdStore(lmdb, path, shared)
    validateFile(join(path, DATA_FILE))
    const root = openRoot(lmdb, { path, noSubdir: false, ...(shared ? SHARED_MAP : {}) })
    opened.root = root
    if (shared) opened.checked = new CheckedTransactions(root, join(path, DATA_FILE), join(path, LOCK_FILE))
    const transactions = opened.checked ?? root
    const table = (name: string): Table => root.openDB({ name, ...BINARY })
    const tables = transactions.transactionSync(() => {
      const meta = table('meta')
      stampFormat(meta)
      return { meta, head: table('head'), data: table('data'), logs: table('logs'), changes: table('changes') }
    })
    return { root, transactions, ...tables, close }
  } catch (cause) {
    ignoreRejection(close())
    const message = `cannot open the store in ${path}: ${(cause as Error).message}`
    throw cause instanceof KernelError ? new KernelError(cause.code, message) : new Error(message, { cause })
  }
}
