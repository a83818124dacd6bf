/**
 * What the adapters of databases throw.
 */
import type { DatabaseFailure, DatabaseFailureReason } from '../../engines/database/port.ts'

/** Words for every reason but `invalid`, which has its own each time. Texts of servers and drivers may hold secrets, so none is passed on. */
const MESSAGES: Readonly<Record<Exclude<DatabaseFailureReason, 'invalid'>, string>> = {
  connection: 'no connection to the database, or one that was lost',
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

/** @param message Of our own words alone: no value of a detail, a statement or a credential. */
export const invalidFailure = (message: string): DatabaseError => new DatabaseError('invalid', message)

/** @param code Of a server, the driver or the platform; left out where it has any other form than the port allows. */
export function databaseFailure(reason: Exclude<DatabaseFailureReason, 'invalid'>, code?: unknown): DatabaseError {
  const safe = typeof code === 'string' && SAFE_CODE.test(code) ? code : undefined
  return new DatabaseError(reason, safe === undefined ? MESSAGES[reason] : `${MESSAGES[reason]} (${safe})`, safe)
}
