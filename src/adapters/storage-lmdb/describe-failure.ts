/** Describes failures of LMDB for the message of the kernel's error. */
import { OutcomeUnknown, type StorageFailure } from '../../core/storage/port.ts'

/** The texts of LMDB's own errors, which are constants. */
const LMDB_ERROR = /^MDB_[A-Z_]+: /

export function describeFailure(error: unknown): StorageFailure | undefined {
  if (error instanceof OutcomeUnknown) return { reported: 'writing the commit to disk failed' }
  return error instanceof Error && LMDB_ERROR.test(error.message) ? { reported: error.message } : undefined
}
