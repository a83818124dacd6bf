/**
 * The options of the storage.
 */
import { type OptionDuration, type OptionNames, readOptions } from '../../core/base/options.ts'
import type { PgPool } from './driver.ts'
import { tableName } from './table.ts'

export interface PostgresqlStorageOptions {
  /**
   * A `Pool` of `pg`, or an object with its methods. It belongs to the caller: `close()` does not end it. While a kernel is open the
   * storage keeps two connections, one that reads and listens and one that commits; it takes others only while they are free. So a pool
   * needs at least 2, and a pool that is shared with the application's transactions needs 2 more than they do. While the storage is open it
   * listens to the `error` events of the pool and of its connections, the application's included. Without a listener they would end the
   * process when the server restarts or ends a session; the next query of such a connection rejects.
   */
  readonly pool: PgPool
  /** The table, `strongroom` by default; created if it is missing. At most 63 bytes, any characters. */
  readonly table?: string
  /** Its schema, created if it is missing. Default: the schema in which the connection's search path creates tables. */
  readonly schema?: string
  /**
   * The time limit of a call in milliseconds, retries and waits for a connection included. Default 5,000. A refused connection fails
   * immediately, unless the outcome of a commit has to be queried.
   */
  readonly timeoutMs?: OptionDuration
  /** The polling interval in milliseconds if the server does not notify (no `LISTEN`). Default 25. */
  readonly pollMs?: OptionDuration
  /** The polling interval in milliseconds if the server notifies, for lost notifications. Default 500. */
  readonly heartbeatMs?: OptionDuration
}

function checkMilliseconds(value: number, name: string): number {
  if (typeof value !== 'number' || !(value >= 1 && value < 2 ** 31))
    throw new TypeError(`${name}: must be milliseconds, at least 1`)
  return value
}

const POSTGRESQL_OPTIONS: OptionNames<PostgresqlStorageOptions> = {
  pool: 1,
  table: 1,
  schema: 1,
  timeoutMs: 1,
  pollMs: 1,
  heartbeatMs: 1,
}

/** @throws TypeError for a pool of one connection, invalid names and invalid times. */
export function checkedOptions(given: PostgresqlStorageOptions) {
  const options = readOptions('postgresqlStorage', given, POSTGRESQL_OPTIONS)
  const { pool, table = 'strongroom', schema } = options
  const timeoutMs = checkMilliseconds(options.timeoutMs ?? 5000, 'timeoutMs')
  const pollMs = checkMilliseconds(options.pollMs ?? 25, 'pollMs')
  const heartbeatMs = checkMilliseconds(options.heartbeatMs ?? 500, 'heartbeatMs')
  if (typeof pool?.connect !== 'function') throw new TypeError('pool: must be a Pool of pg')
  if (pool.options?.max === 1) throw new TypeError('pool: must have at least 2 connections')
  return { pool, name: tableName(table, schema), timeoutMs, pollMs, heartbeatMs }
}
