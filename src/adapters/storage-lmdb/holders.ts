/**
 * Tracks the holders of a store in such a way that the operating system releases a holder when its process ends for any reason.
 *
 * A second, nearly empty environment is in the store's directory. Each holder keeps a read transaction of it open, so its reader table is
 * the list of holders. LMDB clears that table for the first process that opens it, by a lock that the system releases with its process;
 * such a lock also distinguishes entries of killed processes from those of running ones. Process ids are never compared, so containers with
 * different or equal process ids exclude each other.
 */
import { join } from 'node:path'
import { KernelError } from '../../core/base/errors.ts'
import { ignoreRejection, type Lmdb, type ReadTransaction, type Root } from './driver.ts'
import { HOLDERS_FILE } from './files.ts'
import { validateFile } from './validate-file.ts'

const MODE_KEY = Buffer.from('shared')
const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const

/** A claim on the store, ended by {@link Holding.release}. */
export interface Holding {
  release(): Promise<void>
}

const HELD_ALONE = 'is already open, in this process or another, without { shared: true }'
const HELD = 'is already open, in this process or another'
const ADVICE = 'to open a store more than once, open it with { shared: true } everywhere'

/** Each line of the list names a process, a thread and a transaction. */
const countOf = (list: string): number => list.split('\n').filter((line) => /^\s*\d+ /.test(line)).length

/**
 * The read transactions of all claims that have not been released. The package keeps a transaction only weakly and a collected one leaves the
 * table of readers, so a claim must not depend on what the application keeps reachable.
 */
const claims = new Set<ReadTransaction>()

function claim(root: Root, shared: boolean): ReadTransaction {
  const table = root.openDB({ name: 'mode', ...BINARY })
  // One process at a time is here, so every process in the list has been admitted.
  return root.transactionSync(() => {
    root.readerCheck()
    const mode = table.getBinary(MODE_KEY)
    const isShared = mode?.[0] === 1
    if (countOf(root.readerList()) > 0 && !(shared && isShared))
      throw new KernelError('ERR_IN_USE', `it ${isShared ? HELD : HELD_ALONE}; ${ADVICE}`)
    if (!mode || isShared !== shared) ignoreRejection(table.put(MODE_KEY, Buffer.from([shared ? 1 : 0])))
    return root.useReadTransaction()
  })
}

/** @throws KernelError ERR_IN_USE when another holder has the store in the directory open, unless all of them share it. */
export function holdStore(lmdb: Lmdb, directory: string, shared: boolean): Holding {
  const path = join(directory, HOLDERS_FILE)
  validateFile(path)
  const root = lmdb.open({ path, noSubdir: true, overlappingSync: false, eventTurnBatching: false, ...BINARY })
  try {
    const transaction = claim(root, shared)
    claims.add(transaction)
    return {
      async release() {
        // The transaction of another holder in this process keeps the environment open, so closing it does not end this one.
        if (claims.delete(transaction)) transaction.done()
        await root.close()
      },
    }
  } catch (error) {
    ignoreRejection(root.close())
    throw error
  }
}
