/** Prepares the directory of a store and its files before LMDB opens them, and reads parts of the files. */
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const DATA_FILE = 'data.mdb'
export const LOCK_FILE = 'lock.mdb'
/** The file in the store's directory that lists its holders. */
export const HOLDERS_FILE = 'holders.mdb'
export const HOLDERS_LOCK_FILE = 'holders.mdb-lock'

/**
 * Creates a directory and its missing parents. Does not use the recursive form of `mkdirSync`, which never returns in Node if the file
 * system refuses the directory, as below /proc.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created the directory concurrently.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Returns undefined if the file ends before the last of the bytes. */
export function readAt(file: number, bytes: number, position: number): DataView | undefined {
  const page = new Uint8Array(bytes)
  return readSync(file, page, 0, bytes, position) === bytes ? new DataView(page.buffer) : undefined
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
 * Creates the directory (mode 0700) and the files (mode 0600) if they are missing, because files that LMDB creates may be readable by other
 * users.
 * @throws Error if the path of the directory or of a file is in use by something else.
 */
export function prepareFiles(path: string): void {
  makeDirectory(path)
  let created = false
  for (const name of [DATA_FILE, LOCK_FILE, HOLDERS_FILE, HOLDERS_LOCK_FILE]) {
    const file = join(path, name)
    // Do not open an existing lock file: closing it would release all locks that this process has on it.
    if (existsSync(file)) chmodSync(file, 0o600)
    else {
      closeSync(openSync(file, 'a', 0o600))
      created = true
    }
  }
  // A new file survives a power failure only if its directory is synced. Windows neither needs nor offers that.
  if (created && process.platform !== 'win32') syncDirectory(path)
}
