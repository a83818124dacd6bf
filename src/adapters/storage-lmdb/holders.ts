/**
 * Tracks the holders of a store: the processes, or parts of a process, that have it open. When a process ends for any reason, the operating
 * system releases its holders.
 *
 * The store's directory has a second, nearly empty LMDB environment. Each holder keeps a read transaction open in that environment, so the
 * reader table of the environment is the list of holders.
 *
 * LMDB uses file locks, which the operating system releases when a process ends. By such a lock LMDB recognizes the first process that
 * opens the environment, and then clears the reader table. Other locks distinguish entries of killed processes from those of running ones.
 * Process ids are never compared, so processes in different containers also exclude each other, whether their ids differ or are equal.
 */
import { join } from 'node:path'
import { KernelError } from '../../core/base/errors.ts'
import { CheckedTransactions, type WriteTransactions } from './checked-transactions.ts'
import { BINARY, ignoreRejection, type Lmdb, type ReadTransaction, type Root } from './driver.ts'
import { HOLDERS_FILE, HOLDERS_LOCK_FILE } from './files.ts'
import { openRoot } from './open-root.ts'
import { validateFile } from './validate-file.ts'

const MODE_KEY = Buffer.from('shared')

/** The entry of one holder, which {@link Holding.release} removes. */
export interface Holding {
  release(): Promise<void>
}

const HELD_ALONE = 'is already open, in this process or another, without { shared: true }'
const HELD = 'is already open, in this process or another'
const ADVICE = 'to open a store more than once, open it with { shared: true } everywhere'

/** The number of readers. In the output of `readerList`, the line of a reader begins with its process id. */
const countOf = (list: string): number => list.split('\n').filter((line) => /^\s*\d+ /.test(line)).length

/**
 * The read transactions of all holders in this process. The package has only weak references to read transactions, and a garbage-collected
 * one leaves the reader table. So keep them reachable here, even if the application drops its storage object.
 */
const claims = new Set<ReadTransaction>()

function claim(root: Root, transactions: WriteTransactions, shared: boolean): ReadTransaction {
  // Only one process at a time can be in a write transaction, so every process in the list has been admitted already.
  return transactions.transactionSync(() => {
    const table = root.openDB({ name: 'mode', ...BINARY })
    root.readerCheck()
    const mode = table.getBinary(MODE_KEY)
    const isShared = mode?.[0] === 1
    if (countOf(root.readerList()) > 0 && !(shared && isShared))
      throw new KernelError('ERR_IN_USE', `it ${isShared ? HELD : HELD_ALONE}; ${ADVICE}`)
    if (!mode || isShared !== shared) ignoreRejection(table.put(MODE_KEY, Buffer.from([shared ? 1 : 0])))
    return root.useReadTransaction()
  })
}

/**
 * @throws KernelError ERR_IN_USE if another holder has the store in the directory open, unless every holder, including this one, opened it
 * as shared.
 */
export function holdStore(lmdb: Lmdb, directory: string, shared: boolean): Holding {
  const path = join(directory, HOLDERS_FILE)
  validateFile(path)
  const root = openRoot(lmdb, { path, noSubdir: true })
  let transactions: CheckedTransactions | undefined
  try {
    transactions = new CheckedTransactions(root, path, join(directory, HOLDERS_LOCK_FILE))
    const transaction = claim(root, transactions, shared)
    claims.add(transaction)
    return {
      async release() {
        // Closing alone does not end this read transaction: another holder in this process keeps the environment open.
        if (claims.delete(transaction)) transaction.done()
        await root.close()
      },
    }
  } catch (error) {
    ignoreRejection(root.close())
    throw error
  } finally {
    transactions?.close()
  }
}
