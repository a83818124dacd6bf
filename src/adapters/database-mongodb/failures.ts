/**
 * What errors of MongoDB and its driver mean.
 */
import { DatabaseError, databaseFailure } from '../database/failure.ts'

export const NO_SUCH_USER = 11

/** Authentication failed; the same of Atlas. */
const LOGIN_REFUSED = [18, 8000]
/** Shutdown, stepped down, not the primary, no host: another try may meet another server. */
const NOT_AVAILABLE = [6, 7, 89, 91, 133, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436, 50]

interface DriverError {
  readonly name?: unknown
  readonly code?: unknown
  readonly codeName?: unknown
  readonly cause?: unknown
}

/** The number of a refusal of the server itself. One of a write concern only tells who else has it by now. */
export function serverCode(error: unknown): number | undefined {
  const { name, code } = (error ?? {}) as DriverError
  return name === 'MongoServerError' && typeof code === 'number' ? code : undefined
}

export function mongoFailure(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const { codeName, code, cause } = (error ?? {}) as DriverError
  const number = serverCode(error)
  if (number === undefined) return databaseFailure('connection', code ?? (cause as DriverError | undefined)?.code)
  const reason = LOGIN_REFUSED.includes(number) ? 'auth' : NOT_AVAILABLE.includes(number) ? 'connection' : 'statement'
  return databaseFailure(reason, typeof codeName === 'string' && codeName !== '' ? codeName : String(number))
}
