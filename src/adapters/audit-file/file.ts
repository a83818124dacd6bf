/**
 * Audit entries in a file, one JSON text per line.
 */

import { closeSync, constants, fchmodSync, fdatasync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { KernelError } from '../../core/base/errors.ts'
import { readOptions } from '../../core/base/options.ts'
import type { AuditEntry } from '../../core/contract/audit-entry.ts'
import type { AuditSink } from '../../core/contract/audit-port.ts'

export interface FileAuditOptions {
  /** The path of the file. Its folder must exist: otherwise `createKernel` rejects with `ERR_AUDIT` and names the folder. */
  readonly path: string
  /** The permissions of the file. Default: 0o600 for a new file; an existing file keeps its permissions. */
  readonly mode?: number
  /**
   * `always`: each entry is on disk before its request continues. A request has two entries, so it waits for two disk writes. `never`
   * (default): the operating system writes entries to disk later, so they survive the end of the process but not a crash of the machine.
   */
  readonly sync?: 'always' | 'never'
  /** Text before every line. */
  readonly prefix?: string
}

/** A file to which entries are appended. Several processes may append to one file. */
export interface FileAudit extends AuditSink {
  /**
   * Opens the path again, for log rotation: rename the file, then call `reopen`. Entries that are written in between go to the renamed
   * file.
   * @throws KernelError 400 if the path cannot be opened. In that case the renamed file stays open and receives further entries.
   */
  reopen(): void
  close(): void
}

interface Opened {
  readonly descriptor: number
  /** The size in bytes that the file has if only this process writes to it. */
  size: number
  /** The number of entries that are being written to disk. */
  syncing: number
  /**
   * Whether this descriptor is no longer used, because the file was reopened or closed. The descriptor is closed after the last pending
   * sync: the system may give the number of a closed descriptor to another file, and the sync would then apply to that file.
   */
  isLeft: boolean
}

const syncFile = promisify(fdatasync)

const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)

/** The reasons why a file cannot be opened, by the system's error code. */
const REASONS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `the folder ${dirname(path)} does not exist; create it first`,
  ENOTDIR: (path) => `${dirname(path)} is not a folder`,
  EISDIR: (path) => `${path} is a folder; name a file in it`,
  ELOOP: (path) => `${path} is a symbolic link, which is not followed; name its target`,
  EACCES: (path) => `this process may not write to ${path}`,
  EPERM: (path) => `this process may not write to ${path}`,
  EROFS: (path) => `${path} is on a file system that is read-only`,
}

/** @throws KernelError 400 for a path that cannot be opened, with the reason in its message. */
function openFile(path: string, mode: number | undefined): number {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, FLAGS, mode ?? 0o600)
    if (mode !== undefined) fchmodSync(descriptor, mode)
    return descriptor
  } catch (cause) {
    if (descriptor !== undefined) closeSync(descriptor)
    const { code = 'unknown' } = cause as NodeJS.ErrnoException
    const reason = REASONS[code]?.(path) ?? `${path} cannot be opened (${code})`
    throw new KernelError('ERR_INVALID_REQUEST', `path: ${reason}`, { cause })
  }
}

export function fileAudit(options: FileAuditOptions): FileAudit {
  const { path, mode, sync = 'never', prefix = '' } = readOptions('fileAudit', options, { path: 1, mode: 1, sync: 1, prefix: 1 })
  if (typeof path !== 'string' || path === '') throw new TypeError('fileAudit: path must be a string that is not empty')
  if (sync !== 'always' && sync !== 'never') throw new TypeError('fileAudit: sync must be "always" or "never"')
  let file: Opened | undefined
  const opened = (): Opened => {
    if (file) return file
    const descriptor = openFile(path, mode)
    file = { descriptor, size: fstatSync(descriptor).size, syncing: 0, isLeft: false }
    return file
  }
  const shut = (): void => {
    if (file) leave(file)
    file = undefined
  }
  const append = ({ line }: AuditEntry): void => appendLine(opened(), Buffer.from(`${prefix}${line}\n`))
  const sink: FileAudit = {
    open: () => void opened(),
    write(entry) {
      append(entry)
      return synced(opened())
    },
    reopen() {
      const before = file
      file = undefined
      try {
        opened()
      } catch (error) {
        file = before
        throw error
      }
      if (before) leave(before)
    },
    close: shut,
  }
  return sync === 'always' ? sink : { ...sink, writeSync: append }
}

async function synced(file: Opened): Promise<void> {
  file.syncing++
  try {
    await syncFile(file.descriptor)
  } finally {
    file.syncing--
    if (file.isLeft && file.syncing === 0) closeSync(file.descriptor)
  }
}

function leave(file: Opened): void {
  file.isLeft = true
  if (file.syncing === 0) closeSync(file.descriptor)
}

/** Appends the line. If that fails halfway, removes or ends the partial line, which would make the next line unreadable. */
function appendLine(file: Opened, bytes: Buffer): void {
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(file.descriptor, bytes, written)
    file.size += written
  } catch (error) {
    if (written > 0) takeBack(file, written)
    throw error
  }
}

/** Removes a half-written line from the end of the file. If another process has also written to the file, only ends that line. */
function takeBack(file: Opened, written: number): void {
  const { size } = fstatSync(file.descriptor)
  if (size === file.size + written) ftruncateSync(file.descriptor, file.size)
  else writeSync(file.descriptor, '\n')
}
