/**
 * Copies a store that is in use to another directory, with LMDB's own backup function.
 *
 * The copy is one snapshot, although other callers may read and write meanwhile. It is written under a temporary name and renamed once it
 * is on disk, so a copy under the final name is complete.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Root } from './driver.ts'
import { DATA_FILE, makeDirectory, syncDirectory } from './files.ts'

/** @throws Error if `directory` exists and is not empty, or if the copy cannot be written; a partly written copy is deleted. */
export async function backUp(root: Root, directory: string, compact: boolean): Promise<void> {
  const target = resolve(directory)
  const unfinished = `${target}.unfinished`
  try {
    const isThere = existsSync(target)
    if (isThere && readdirSync(target).length > 0) throw new Error('it is not empty')
    makeDirectory(dirname(target))
    rmSync(unfinished, { recursive: true, force: true })
    // LMDB creates the file with the permissions that the umask allows. Until `fill` restricts them, the mode of the directory keeps other
    // users out.
    mkdirSync(unfinished, { mode: 0o700 })
    await fill(unfinished, root, compact)
    if (isThere) rmdirSync(target)
    renameSync(unfinished, target)
    if (process.platform !== 'win32') syncDirectory(dirname(target))
  } catch (cause) {
    throw new Error(`cannot back up to ${directory}: ${(cause as Error).message}`, { cause })
  }
}

async function fill(unfinished: string, root: Root, compact: boolean): Promise<void> {
  try {
    await root.backup(unfinished, compact)
    const file = join(unfinished, DATA_FILE)
    chmodSync(file, 0o600)
    sync(file)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
