/**
 * The driver's pool behind a source of credentials.
 */
import { type Login, type LoginSource, SwappingPool } from '../database/swapping-pool.ts'

/** A connection of the driver's pool. */
export interface MysqlPoolConnection {
  // biome-ignore-start lint/suspicious/noExplicitAny: the driver's own overloads are those that count.
  query(...args: any[]): any
  execute(...args: any[]): any
  // biome-ignore-end lint/suspicious/noExplicitAny: as above
  release(): void
  destroy(): void
}

/** The module `mysql2/promise`, or its default export. */
export interface MysqlPoolModule<C extends MysqlPoolConnection> {
  createPool(config: Readonly<Record<string, unknown>>): { getConnection(): Promise<C>; end(): Promise<void> }
}

export interface MysqlPoolOptions<C extends MysqlPoolConnection> {
  /** The package `mysql2`, in its form with promises: `import mysql2 from 'mysql2/promise'`. */
  readonly mysql2: MysqlPoolModule<C>
  /** `kernel.database.credentialSource(…)`. It stays the caller's to close. */
  readonly source: LoginSource
  /**
   * What `createPool` takes, such as `host`, `database`, `connectionLimit`; `user` and `password` come from the source. Each pool has
   * `connectionLimit` of its own.
   */
  readonly config: Readonly<Record<string, unknown>>
}

/** As the pool of `mysql2/promise`. */
export interface MysqlPool<C extends MysqlPoolConnection> {
  /** By a connection for this one statement. */
  readonly query: C['query']
  /** The same for a prepared one. */
  readonly execute: C['execute']
  /** A connection, until its `release` or `destroy`. */
  getConnection(): Promise<C>
  /** Resolves when all connections were released and closed. Idempotent. */
  end(): Promise<void>
}

const ACCESS_DENIED = 1045

/**
 * A pool that logs in with what the source gives. When that changes, connections come from a pool of their own for the new login; those of the
 * former one serve their holders until they are released. Logins that the server refuses are asked for anew and tried again, for some 3 seconds.
 * @throws TypeError where `mysql2` is not the package.
 * @throws TypeError where `mysql2` is not the package, and for a `uri`.
 * @example
 * const source = kernel.database.credentialSource({ static_role: 'app' })
 * const pool = mysqlPool({ mysql2, source, config: { host: 'db', database: 'app' } })
 * const [rows] = await pool.query('SELECT 1')
 */
export function mysqlPool<C extends MysqlPoolConnection>({ mysql2, source, config }: MysqlPoolOptions<C>): MysqlPool<C> {
  if (typeof mysql2?.createPool !== 'function') throw new TypeError('mysqlPool: mysql2 has to be the package mysql2/promise')
  // A URL would name a user of its own.
  if (config['uri'] !== undefined) throw new TypeError('mysqlPool: config has host, port and database instead of uri')
  const pools = new SwappingPool(
    {
      name: 'mysqlPool',
      open: ({ username: user, password }: Login) => mysql2.createPool({ ...config, user, password }),
      connect: (pool) => pool.getConnection(),
      refused: (error) => (error as { readonly errno?: unknown } | null)?.errno === ACCESS_DENIED,
      end: (pool) => pool.end(),
    },
    source,
  )
  const getConnection = async (): Promise<C> => {
    const { connection, done } = await pools.take()
    for (const way of ['release', 'destroy'] as const) {
      const own = connection[way]
      connection[way] = () => {
        own.call(connection)
        done()
      }
    }
    return connection
  }
  const by =
    (how: 'query' | 'execute') =>
    async (...args: unknown[]): Promise<unknown> => {
      const connection = await getConnection()
      try {
        return await connection[how](...args)
      } finally {
        connection.release()
      }
    }
  return { query: by('query'), execute: by('execute'), getConnection, end: () => pools.end() }
}
