/**
 * The directory of a store and the two files in it, before LMDB opens them. Room: adapters/storage-lmdb.
 */
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const DATA = 'data.mdb'
const LOCK = 'lock.mdb'

/** Where an LMDB file says that it is one, and what it says there. */
const MAGIC_AT = 24
const MAGIC = 0xbeefc0de

/** By hand: the recursive form of mkdir never returns where the file system will not have the directory (nodejs, below /proc). */
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

/** A damaged or foreign file would end the process inside LMDB, where nobody can catch it. */
function checkMagic(path: string): void {
  const file = openSync(join(path, DATA), 'r')
  try {
    const head = Buffer.alloc(MAGIC_AT + 4)
    const length = readSync(file, head, 0, head.length, 0)
    // An empty file is what a store begins with.
    if (length === 0) return
    const fits = length === head.length && (head.readUInt32LE(MAGIC_AT) === MAGIC || head.readUInt32BE(MAGIC_AT) === MAGIC)
    if (!fits) throw new Error(`${DATA} was not written by LMDB, or is damaged`)
  } finally {
    closeSync(file)
  }
}

/**
 * Creates what is missing: the directory for its owner alone (mode 0700), the files too (0600), before LMDB would make them
 * readable to others.
 * @throws Error when there is something else in their place.
 */
export function prepareFiles(path: string): void {
  makeDirectory(path)
  let created = false
  for (const name of [DATA, LOCK]) {
    const file = join(path, name)
    // An existing lock file is never opened here: closing it again would drop the locks this process holds on it.
    if (existsSync(file)) chmodSync(file, 0o600)
    else {
      closeSync(openSync(file, 'a', 0o600))
      created = true
    }
  }
  checkMagic(path)
  // A new file survives a power failure only when its directory is synced; Windows neither needs nor offers that.
  if (created && process.platform !== 'win32') syncDirectory(path)
}
