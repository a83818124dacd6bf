/**
 * The driver's pool behind a source of credentials.
 */
import { type Login, type LoginSource, SwappingPool } from '../database/swapping-pool.ts'
import { sqlState } from './failures.ts'

/** A connection of the driver's pool. */
export interface PgPoolClient {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads are those that count.
  query(...args: any[]): any
  release(error?: Error | boolean): void
}

interface PgPool<C> {
  connect(): Promise<C>
  /** Never called; the compiler finds `C` by it, since it looks at the last form of those that the driver declares. */
  connect(callback: () => void): void
  end(): Promise<void>
  on(event: 'error', listener: () => void): unknown
}

/** The module `pg`, or its default export. */
export interface PgPoolModule<C extends PgPoolClient> {
  readonly Pool: new (config: Readonly<Record<string, unknown>>) => PgPool<C>
}

export interface PostgresqlPoolOptions<C extends PgPoolClient> {
  /** The package `pg`: `import pg from 'pg'`. */
  readonly pg: PgPoolModule<C>
  /** `kernel.database.credentialSource(…)`. It stays the caller's to close. */
  readonly source: LoginSource
  /** What `pg.Pool` takes, such as `host`, `database`, `max`; `user` and `password` come from the source. Each pool has `max` of its own. */
  readonly config: Readonly<Record<string, unknown>>
}

/** As `pg.Pool`, in its form with promises. */
export interface PostgresqlPool<C extends PgPoolClient> {
  /** By a connection for this one query. Callbacks and streams go by {@link connect}. */
  readonly query: C['query']
  /** A connection, until its `release`. */
  connect(): Promise<C>
  /** Resolves when all connections were released and closed. Idempotent. */
  end(): Promise<void>
}

/** `invalid_password`, `invalid_authorization_specification`. */
const LOGIN_REFUSED = /^28/

/**
 * A pool that logs in with what the source gives. When that changes, connections come from a pool of their own for the new login; those of the
 * former one serve their holders until they are released. Logins that the server refuses are asked for anew and tried again, for some 3 seconds.
 * @throws TypeError where `pg` is not the package, and for a `connectionString`.
 * @example
 * const source = kernel.database.credentialSource({ role: 'app' })
 * const pool = postgresqlPool({ pg, source, config: { host: 'db', database: 'app' } })
 * await pool.query('SELECT 1')
 */
export function postgresqlPool<C extends PgPoolClient>({ pg, source, config }: PostgresqlPoolOptions<C>): PostgresqlPool<C> {
  if (typeof pg?.Pool !== 'function') throw new TypeError('postgresqlPool: pg has to be the package pg')
  // A URL would name a user of its own.
  if (config['connectionString'] !== undefined)
    throw new TypeError('postgresqlPool: config has host, port and database instead of connectionString')
  const pools = new SwappingPool(
    {
      name: 'postgresqlPool',
      open({ username: user, password }: Login) {
        const pool = new pg.Pool({ ...config, user, password })
        // An idle connection that the server ends is replaced; without a listener it would end the process.
        pool.on('error', () => undefined)
        return pool
      },
      connect: (pool) => pool.connect(),
      refused: (error) => LOGIN_REFUSED.test(sqlState(error) ?? ''),
      end: (pool) => pool.end(),
    },
    source,
  )
  const connect = async (): Promise<C> => {
    const { connection, done } = await pools.take()
    // The driver's pool sets it anew whenever it lends the connection.
    const { release } = connection
    connection.release = (error) => {
      release.call(connection, error)
      done()
    }
    return connection
  }
  const query = async (...args: unknown[]): Promise<unknown> => {
    const [first] = args
    if (typeof args.at(-1) === 'function' || typeof (first as { submit?: unknown } | null)?.submit === 'function')
      throw new TypeError('postgresqlPool: query takes no callbacks and no streams; connect() gives a connection for them')
    const client = await connect()
    try {
      const result = await client.query(...args)
      client.release()
      return result
    } catch (error) {
      client.release(error instanceof Error ? error : true)
      throw error
    }
  }
  return { query, connect, end: () => pools.end() }
}
