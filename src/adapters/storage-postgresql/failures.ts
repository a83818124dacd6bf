/** Classifies errors of the driver. */

/** The SQLSTATE, five characters, if the server itself refused; otherwise undefined, and the connection counts as lost. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code) ? code : undefined
}

/**
 * The session is over; the outcome of its last statement is unknown. Distributed engines report that as 40003.
 */
const SESSION_OVER = /^(08|57P0|25P03|25P04|40003)/

/** Serialization failure, deadlock, lock timeout; temporarily unavailable, too many connections. */
const TRANSIENT = /^(40001|40P01|55P03|57P03|53300)$/

/** Several processes created schema, table or row type at once: all but one fail, each in its own way. */
const CREATED_CONCURRENTLY = /^(23505|42710|42P06|42P07|XX000)$/

export const UNDEFINED_TABLE = /^(42P01|3F000)$/

/** A table that is unusable, also after a retry. */
export class UnusableTable extends Error {
  override readonly name = 'UnusableTable'
}

/** The driver's own errors have no class of their own. */
const DRIVER_ERRORS = ['Error', 'AggregateError']

export function connectionLost(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === undefined ? error instanceof Error && DRIVER_ERRORS.includes(error.name) : SESSION_OVER.test(state)
}

/** No server listens at the address, so nothing was sent. */
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
