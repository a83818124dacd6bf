/**
 * What errors of the driver mean.
 */

/** Five characters where the server itself said no; anything else means that the connection is lost. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code) ? code : undefined
}

/** The session is over, whoever ended it: what its last statement did is not known. 40003 is said by engines of several machines. */
const SESSION_OVER = /^(08|57P0|25P03|25P04|40003)/

/** Serialization failure, deadlock, somebody else held a lock for too long; not now, too many connections. */
const AGAIN = /^(40001|40P01|55P03|57P03|53300)$/

/** Schema, table and its row type are made by several processes at once: all but one fail, each in its own way. */
const MADE_MEANWHILE = /^(23505|42710|42P06|42P07|XX000)$/

export const UNDEFINED_TABLE = /^(42P01|3F000)$/

/** A table that is of no use, and would not be at the next try either. */
export class UnusableTable extends Error {
  override readonly name = 'UnusableTable'
}

/** What the driver throws itself has no class of its own. */
const DRIVER_ERRORS = ['Error', 'AggregateError']

export function connectionLost(error: unknown): boolean {
  const state = sqlState(error)
  return state === undefined ? error instanceof Error && DRIVER_ERRORS.includes(error.name) : SESSION_OVER.test(state)
}

/** Whether the same thing, done again, may succeed. */
export function passes(error: unknown): boolean {
  return connectionLost(error) || AGAIN.test(sqlState(error) ?? '')
}

export const madeMeanwhile = (error: unknown): boolean => MADE_MEANWHILE.test(sqlState(error) ?? '') || passes(error)
