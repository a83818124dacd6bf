import { DatabaseError, databaseFailure } from '../database/failure.ts'

export const NO_SUCH_USER = 11

/** The codes of AuthenticationFailed and AtlasError. */
const LOGIN_REFUSED = [18, 8000]
/** The codes of errors after which a retry may succeed: shutdown, step-down, not primary, host not found, time limit exceeded. */
const NOT_AVAILABLE = [6, 7, 89, 91, 133, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436, 50]

interface DriverError {
  readonly name?: unknown
  readonly code?: unknown
  readonly codeName?: unknown
  readonly cause?: unknown
}

/**
 * Returns the code of the error if the server refused the command, else undefined. A write concern error is not a refusal: the command took
 * effect, and only the acknowledgement by enough members is missing.
 */
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
