/**
 * Who has a store open, held so that the system lets go of it when a process ends, however it ends.
 *
 * Beside the store lies a second, nearly empty environment, and whoever has the store open holds a read transaction of it: its table of
 * readers is the list of holders. LMDB empties that table for the first who opens it, by a lock that goes with its process; what a
 * killed process leaves there beside living ones is found by such a lock, too. No number of a process is compared, so processes in
 * containers that see different ones, or the same, exclude each other.
 */
import { join } from 'node:path'
import { type Lmdb, type Root, unheeded } from './driver.ts'
import { HOLDERS } from './files.ts'
import { judgeFile } from './judge-file.ts'

const MODE_KEY = Buffer.from('shared')
const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const

/** Given up by {@link Holding.release}. */
export interface Holding {
  release(): Promise<void>
}

const HELD_ALONE = 'is open already, in this process or another, without { shared: true }'
const HELD = 'is open already, in this process or another'
const ADVICE = 'to open a store more than once, open it with { shared: true } everywhere'

/** A line of the list names a process, a thread and a transaction. */
const countOf = (list: string): number => list.split('\n').filter((line) => /^\s*\d+ /.test(line)).length

function claim(root: Root, shared: boolean): void {
  const table = root.openDB({ name: 'mode', ...BINARY })
  // One at a time, so whoever is in the list has been let in.
  root.transactionSync(() => {
    root.readerCheck()
    const mode = table.getBinary(MODE_KEY)
    const isShared = mode?.[0] === 1
    if (countOf(root.readerList()) > 0 && !(shared && isShared)) throw new Error(`it ${isShared ? HELD : HELD_ALONE}; ${ADVICE}`)
    if (!mode || isShared !== shared) unheeded(table.put(MODE_KEY, Buffer.from([shared ? 1 : 0])))
    root.useReadTransaction()
  })
}

/** @throws Error when somebody has the store in the directory open, unless all of them share it. */
export function holdStore(lmdb: Lmdb, directory: string, shared: boolean): Holding {
  const path = join(directory, HOLDERS)
  judgeFile(path)
  const root = lmdb.open({ path, noSubdir: true, overlappingSync: false, eventTurnBatching: false, ...BINARY })
  try {
    claim(root, shared)
  } catch (error) {
    unheeded(root.close())
    throw error
  }
  return { release: () => root.close() }
}
