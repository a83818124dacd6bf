/** Classifies errors of the driver. */

/** The SQLSTATE, five characters, of an error that the server reported; undefined for other errors, such as those of the connection. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code) ? code : undefined
}

/**
 * SQLSTATEs after which the session has ended and the outcome of its last statement is unknown. Distributed databases report an unknown
 * outcome as 40003.
 */
const SESSION_OVER = /^(08|57P0|25P03|25P04|40003)/

/**
 * SQLSTATEs after which a retry may succeed: serialization failure, deadlock, lock timeout, temporarily unavailable, too many connections.
 */
const TRANSIENT = /^(40001|40P01|55P03|57P03|53300)$/

/** If several processes create the schema, the table or its row type at the same time, all but one fail with one of these SQLSTATEs. */
const CREATED_CONCURRENTLY = /^(23505|42710|42P06|42P07|XX000)$/

export const UNDEFINED_SCHEMA = '3F000'

export const UNDEFINED_TABLE = /^(42P01|3F000)$/

/** The error for a table that cannot be used, even after a retry. */
export class UnusableTable extends Error {
  override readonly name = 'UnusableTable'
}

/** The server or the pool did not answer within the time limit of a call. Counts as a lost connection, because a late answer is lost. */
export class NoAnswerInTime extends Error {}

/** The names of the errors that the driver throws when a connection fails. The driver defines no error classes for them. */
const DRIVER_ERRORS = ['Error', 'AggregateError']

export function connectionLost(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === undefined ? error instanceof Error && DRIVER_ERRORS.includes(error.name) : SESSION_OVER.test(state)
}

/** Whether no connection could be established, so nothing was sent. */
export function isRefused(error: unknown): boolean {
  return REFUSED.test(String((error as { code?: unknown } | null)?.code))
}

const REFUSED = /^(ECONNREFUSED|ENOTFOUND|ENOENT|EHOSTUNREACH|ENETUNREACH)$/

/** Whether a retry may succeed. */
export function isTransient(error: unknown): boolean {
  return connectionLost(error) || TRANSIENT.test(sqlStateOf(error) ?? '')
}

export const isCreatedConcurrently = (error: unknown): boolean =>
  CREATED_CONCURRENTLY.test(sqlStateOf(error) ?? '') || isTransient(error)
