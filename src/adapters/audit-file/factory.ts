/** Opens the audit files that API requests name, but only in one directory, which the application chooses. */

import { realpathSync } from 'node:fs'
import { basename, dirname, resolve, sep } from 'node:path'
import { KernelError } from '../../core/base/errors.ts'
import { readOptions } from '../../core/base/options.ts'
import type { AuditSinkFactory } from '../../core/contract/audit-port.ts'
import { type FileAudit, type FileAuditOptions, fileAudit } from './file.ts'

export interface FileAuditFactoryOptions extends Pick<FileAuditOptions, 'sync'> {
  /** The directory in which all audit files must be. An absolute path, or a path relative to the working directory of the process. */
  readonly directory: string
}

export interface FileAuditFactory extends AuditSinkFactory {
  /** Reopens all open files of this factory, for log rotation. */
  reopen(): void
}

/**
 * Returns the factory for `ports.audit.factories.file`, which opens the file that a request names. The options of the request: `file_path`
 * (or `path`), which is relative to the directory, or absolute and in the directory; `mode` (three octal digits); and `prefix`.
 */
export function fileAuditFactory(given: FileAuditFactoryOptions): FileAuditFactory {
  const { directory, sync = 'never' } = readOptions('fileAuditFactory', given, { directory: 1, sync: 1 })
  if (typeof directory !== 'string' || directory === '')
    throw new TypeError('fileAuditFactory: directory must be a string that is not empty')
  const home = resolve(directory)
  const inUse = new Set<FileAudit>()
  const make: AuditSinkFactory = ({ options }) => {
    const { prefix } = options
    const mode = modeOf(options['mode'])
    const path = pathIn(home, options['file_path'] ?? options['path'] ?? '')
    const file = fileAudit({ path, sync, ...(prefix === undefined ? {} : { prefix }), ...(mode === undefined ? {} : { mode }) })
    inUse.add(file)
    return {
      ...file,
      close() {
        inUse.delete(file)
        file.close()
      },
    }
  }
  const reopen = (): void => {
    for (const file of inUse) file.reopen()
  }
  return Object.assign(make, { reopen })
}

const invalid = (message: string): KernelError => new KernelError('ERR_INVALID_REQUEST', message)

/** @throws KernelError 400 if the path is outside the directory, or if a symbolic link in the path leads outside. */
function pathIn(home: string, given: string): string {
  if (given === '') throw invalid('options.file_path: is required')
  if (given.includes('\0')) throw invalid('options.file_path: must not contain NUL')
  const path = resolve(home, given)
  if (!path.startsWith(home + sep)) throw invalid('options.file_path: must be in the directory that the application allows')
  try {
    const real = realpathSync(dirname(path))
    const realHome = realpathSync(home)
    if (real === realHome || real.startsWith(realHome + sep)) return `${real}${sep}${basename(path)}`
  } catch {
    throw invalid('options.file_path: its folder does not exist')
  }
  throw invalid('options.file_path: must be in the directory that the application allows')
}

/** @throws KernelError 400 if the mode is not three octal digits, with or without a leading 0. */
function modeOf(given: string | undefined): number | undefined {
  if (given === undefined || given === '') return undefined
  if (!/^0?[0-7]{3}$/.test(given))
    throw invalid('options.mode: must be three octal digits, with or without a leading 0, such as 0600')
  return Number.parseInt(given, 8)
}
