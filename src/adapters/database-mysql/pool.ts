import type { EventEmitter } from 'node:events'
import { readOptions } from '../../core/base/options.ts'
import { type Callback, callBack, ignoreError } from '../database/callback.ts'
import { type Login, type LoginSource, SwappingPool } from '../database/swapping-pool.ts'

/** The module `mysql2/promise` or `mysql2`, or its default export. */
export interface MysqlPoolModule<P extends object, C extends object> {
  createPool(config: C): P
}

export interface MysqlPoolOptions<P extends object, C extends object> {
  /** The package `mysql2`: `import mysql2 from 'mysql2/promise'`, or `from 'mysql2'` for a pool with callbacks. */
  readonly mysql2: MysqlPoolModule<P, C>
  /** The source of the login, such as `kernel.database.credentialSource(…)`. The pool does not close the source. */
  readonly source: LoginSource
  /**
   * The `PoolOptions` of `mysql2`, such as `host`, `database`, `connectionLimit`, or a `uri`. The source's user and password replace those
   * in the options. `connectionLimit` bounds the connections of one login, so during a change of the login the pool may have more.
   */
  readonly config: NoInfer<C>
}

interface DriverConnection extends EventEmitter {
  release?(): void
  destroy?(): void
}

/**
 * The driver's pool with callbacks; the driver's pool with promises passes its calls to such a pool. `query` and `execute` get their
 * connections from `getConnection`, so only `getConnection` and `end` are replaced.
 */
interface DriverPool extends EventEmitter {
  getConnection(callback: Callback<DriverConnection>): void
  end(callback: Callback<void>): void
}

const ACCESS_DENIED = 1045
const FORWARDED_EVENTS = ['connection', 'acquire', 'release', 'enqueue']

const driverPoolOf = (pool: object): DriverPool => ('pool' in pool ? pool.pool : pool) as DriverPool

const promised = <T>(call: (callback: Callback<T>) => void): Promise<T> =>
  new Promise((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value as T))))

/** Calls `done` once, when the connection is released, destroyed or ended. */
function onReturn(connection: DriverConnection, done: () => void): void {
  const methods = ['release', 'destroy'] as const
  const returned = (): void => {
    for (const name of methods) delete connection[name]
    connection.removeListener('end', returned)
    connection.removeListener('error', returned)
    done()
  }
  for (const name of methods) {
    const method = connection[name]
    connection[name] = () => {
      method?.call(connection)
      returned()
    }
  }
  connection.once('end', returned)
  connection.once('error', returned)
}

/**
 * Returns a pool of `mysql2` whose connections log in as the user that the source returns. The pool is created with `createPool` of the
 * given module, so it can be used like any pool of that module: with `query`, `execute`, `getConnection` and `on`, and by drizzle. Kysely
 * expects a pool with callbacks, which the module `mysql2` creates.
 *
 * When the login changes, new connections use the new login. A connection of the former login stays open until `release` or `destroy`, and
 * is then closed. The database may end a connection earlier, because revoking a lease ends the sessions of its user. The next query on such
 * a connection rejects. The lost connection does not end the process, because each connection has an `error` listener. If the server
 * refuses the login, the pool refreshes the login from the source and tries again, for about 3 seconds.
 *
 * `end` resolves after all connections were released and closed. It may be called more than once.
 * @throws TypeError if `mysql2` is not the package.
 * @example
 * const source = kernel.database.credentialSource({ static_role: 'app' })
 * const pool = mysqlPool({ mysql2, source, config: { host: 'db', database: 'app' } })
 * const [rows] = await pool.query('SELECT 1')
 */
export function mysqlPool<P extends object, C extends object>(options: MysqlPoolOptions<P, C>): P {
  const { mysql2, source, config } = readOptions('mysqlPool', options, { mysql2: 1, source: 1, config: 1 })
  if (typeof mysql2?.createPool !== 'function') throw new TypeError('mysqlPool: mysql2 must be the package mysql2')
  const pool = mysql2.createPool({ ...config } as C)
  const outer = driverPoolOf(pool)
  const endTimers = outer.end.bind(outer)
  const pools = new SwappingPool(
    {
      name: 'mysqlPool',
      open({ username: user, password }: Login) {
        const inner = driverPoolOf(mysql2.createPool({ ...config, user, password } as C))
        for (const event of FORWARDED_EVENTS)
          inner.on(event, (...args) => {
            if (event === 'connection') (args[0] as DriverConnection).on('error', ignoreError)
            outer.emit(event, ...args)
          })
        return inner
      },
      connect: (inner) => promised<DriverConnection>((callback) => inner.getConnection(callback)),
      refused: (error) => (error as { readonly errno?: unknown } | null)?.errno === ACCESS_DENIED,
      end: (inner) => promised<void>((callback) => inner.end(callback)),
    },
    source,
  )
  const take = async (): Promise<DriverConnection> => {
    const { connection, done } = await pools.take()
    onReturn(connection, done)
    return connection
  }
  const end = async (): Promise<void> => {
    await pools.end()
    await promised<void>(endTimers)
  }
  Object.assign(outer, {
    getConnection: (callback: Callback<DriverConnection>) => callBack(take(), callback),
    end: (callback: Callback<void> = ignoreError) => callBack(end(), callback),
  })
  return pool
}
