import type { DatabaseFailure, DatabaseFailureReason } from '../../engines/database/port.ts'

/**
 * Messages of servers and drivers may contain secrets, so errors get these fixed messages. Errors with the reason `invalid` have specific
 * messages.
 */
const MESSAGES: Readonly<Record<Exclude<DatabaseFailureReason, 'invalid'>, string>> = {
  connection: 'the database is unreachable, or the connection was lost',
  auth: 'the database refused the login',
  statement: 'the database refused a statement',
  closed: 'the connection to the database was closed',
  timeout: 'the database did not answer in time',
}

const SAFE_CODE = /^\w{1,40}$/

export class DatabaseError extends Error implements DatabaseFailure {
  override readonly name = 'DatabaseError'
  readonly reason: DatabaseFailureReason
  declare readonly code?: string

  constructor(reason: DatabaseFailureReason, message: string, code?: string) {
    super(message)
    this.reason = reason
    if (code !== undefined) this.code = code
  }
}

/** @param message Must not contain the value of a detail, statement or credential. */
export const invalidFailure = (message: string): DatabaseError => new DatabaseError('invalid', message)

/** @param code The code of the server, driver or platform. It is dropped if it does not have the form that the port allows. */
export function databaseFailure(reason: Exclude<DatabaseFailureReason, 'invalid'>, code?: unknown): DatabaseError {
  const safe = typeof code === 'string' && SAFE_CODE.test(code) ? code : undefined
  return new DatabaseError(reason, safe === undefined ? MESSAGES[reason] : `${MESSAGES[reason]} (${safe})`, safe)
}
