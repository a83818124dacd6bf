/** Prepares the directory of a store and its files before LMDB opens them. */
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const DATA = 'data.mdb'
const LOCK = 'lock.mdb'
/** The file beside the store that records its holders. */
export const HOLDERS = 'holders.mdb'

/** Without the recursive form of mkdir, which never returns where the file system refuses the directory (Node, below /proc). */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/**
 * Creates missing parts: the directory for its owner alone (mode 0700), the files too (0600), before LMDB would make them
 * readable to others.
 * @throws Error when their paths are occupied by something else.
 */
export function prepareFiles(path: string): void {
  makeDirectory(path)
  let created = false
  for (const name of [DATA, LOCK, HOLDERS, `${HOLDERS}-lock`]) {
    const file = join(path, name)
    // An existing lock file is never opened here: closing it again would drop this process's locks on it.
    if (existsSync(file)) chmodSync(file, 0o600)
    else {
      closeSync(openSync(file, 'a', 0o600))
      created = true
    }
  }
  // A new file survives a power failure only when its directory is synced; Windows neither needs nor offers that.
  if (created && process.platform !== 'win32') syncDirectory(path)
}
