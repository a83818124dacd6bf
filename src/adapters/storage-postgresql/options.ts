import { type OptionDuration, type OptionNames, readOptions } from '../../core/base/options.ts'
import type { PgPool } from './driver.ts'
import { tableName } from './table.ts'

export interface PostgresqlStorageOptions {
  /**
   * A `Pool` of `pg`, or an object with the same methods. The caller owns the pool: `close()` does not end it.
   *
   * While a kernel is open, the storage keeps two connections: one for reads and notifications, one for commits. It uses other connections
   * only while they are free. So the pool needs at least 2 connections. If the application runs transactions on the same pool, the pool
   * needs 2 more than those transactions do.
   *
   * While the storage is open, it listens to the `error` events of the pool and of its connections, including those that the application
   * uses. Without a listener, such an event would end the process when the server restarts or ends a session. The next query on such a
   * connection rejects.
   */
  readonly pool: PgPool
  /** The name of the table: at most 63 bytes, any characters. Default: `strongroom`. The table is created if it is missing. */
  readonly table?: string
  /** The schema of the table. It is created if it is missing. Default: the schema in which the connection's search path creates tables. */
  readonly schema?: string
  /**
   * The time limit of a call in milliseconds, including retries and the wait for a connection. Default 5,000. If the server refuses the
   * connection, a call fails immediately, unless it has to find out whether a commit took effect.
   */
  readonly timeoutMs?: OptionDuration
  /** The polling interval in milliseconds if the server does not support `LISTEN`. Default 25. */
  readonly pollMs?: OptionDuration
  /** The polling interval in milliseconds if the server supports `LISTEN`, in case a notification is lost. Default 500. */
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
