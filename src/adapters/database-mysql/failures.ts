import { DatabaseError, databaseFailure } from '../database/failure.ts'

/** The errors with which CREATE USER, ALTER USER, DROP USER and REVOKE report that a user does not exist. */
export const NO_SUCH_USER = /^(ER_CANNOT_USER|ER_REVOKE_GRANTS)$/

/** The errors that report that the login may not read a table. */
export const SELECT_DENIED = /^ER_(DBACCESS|TABLEACCESS|COLUMNACCESS|SPECIFIC_ACCESS)_DENIED_ERROR$/

/** Errors of the login: access denied, unknown database, host not allowed, password expired, account locked. */
const LOGIN_REFUSED = new Set([1044, 1045, 1049, 1130, 1251, 1524, 1698, 1820, 1862, 3118, 3955, 4151])
/** Errors that end the session: shutdown, connection killed, query interrupted, network errors. */
const SESSION_OVER = new Set([1053, 1077, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1317, 1927])

interface DriverError {
  readonly code?: unknown
  readonly errno?: unknown
  readonly sqlState?: unknown
}

/** The error number, if the error comes from the server and not from the driver. */
const serverNumber = (error: unknown): number | undefined => {
  const { errno, sqlState } = (error ?? {}) as DriverError
  return typeof errno === 'number' && errno >= 1000 && typeof sqlState === 'string' ? errno : undefined
}

/** The code of an error. The driver lacks names for some errors of MariaDB, so their code is `E` and the number. */
const codeOf = (error: unknown): unknown => {
  const { code } = (error ?? {}) as DriverError
  const number = serverNumber(error)
  return number !== undefined && (typeof code !== 'string' || code === 'undefined') ? `E${number}` : code
}

export function loginFailure(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  return databaseFailure(LOGIN_REFUSED.has(serverNumber(error) ?? 0) ? 'auth' : 'connection', codeOf(error))
}

export function statementFailure(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error
  const number = serverNumber(error)
  return databaseFailure(number !== undefined && !SESSION_OVER.has(number) ? 'statement' : 'connection', codeOf(error))
}
