import type { EventEmitter } from 'node:events'
import { readOptions } from '../../core/base/options.ts'
import { callBack, ignoreError } from '../database/callback.ts'
import { type Login, type LoginSource, SwappingPool } from '../database/swapping-pool.ts'
import { sqlState } from './failures.ts'

/** The module `pg`, or its default export. */
export interface PgPoolModule<P extends object, C extends object> {
  readonly Pool: new (config?: C) => P
}

export interface PostgresqlPoolOptions<P extends object, C extends object> {
  /** The package `pg`: `import pg from 'pg'`. */
  readonly pg: PgPoolModule<P, C>
  /** The source of the login, such as `kernel.database.credentialSource(…)`. The pool does not close the source. */
  readonly source: LoginSource
  /**
   * A `PoolConfig` of `pg`, such as `host`, `database`, `max`, or a `connectionString`. The source's user and password replace those in the
   * configuration. `max` bounds the connections of one login, so during a change of the login the pool may have more.
   */
  readonly config: NoInfer<C>
}

interface DriverClient extends EventEmitter {
  release(error?: Error | boolean): void
}

type ConnectCallback = (error?: Error | null, client?: DriverClient, release?: DriverClient['release']) => void

/** The members of the driver's `Pool` that are used or replaced. */
interface DriverPool extends EventEmitter {
  connect(): Promise<DriverClient>
  end(): Promise<void>
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
  readonly expiredCount?: number
  ending: boolean
  ended: boolean
}

/** SQLSTATE class 28: invalid password, invalid authorization specification. */
const LOGIN_REFUSED = /^28/
const FORWARDED_EVENTS = ['connect', 'acquire', 'release', 'remove', 'error']
const COUNTS = ['totalCount', 'idleCount', 'waitingCount', 'expiredCount'] as const

/** The driver prefers the user in a URL to the option `user`, so the login is written into the URL. */
function withLogin(config: object, { username, password }: Login): object {
  const { connectionString } = config as { readonly connectionString?: unknown }
  if (connectionString === undefined) return { ...config, user: username, password }
  const url = urlOf(connectionString)
  for (const name of ['user', 'password']) url.searchParams.delete(name)
  url.username = encodeURIComponent(username)
  url.password = encodeURIComponent(password)
  return { ...config, user: username, password, connectionString: url.href }
}

/** @throws TypeError if the text is not a URL with a host, because only such a URL can contain a user. */
function urlOf(text: unknown): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (!url?.host)
    throw new TypeError('config.connectionString: must be a URL with a host, such as postgresql://db.example:5432/app')
  return url
}

/**
 * Returns a `Pool` of `pg` whose connections log in as the user that the source returns. It is an instance of the `Pool` class of the given
 * package, so it can be used like any such pool: with `query`, `connect`, `on` and `totalCount`, and by drizzle or Kysely.
 *
 * When the login changes, new connections use the new login. A connection of the former login stays open until `release`, and is then
 * closed. The database may end a connection earlier, because revoking a lease ends the sessions of its user. The next query on such a
 * connection rejects. The lost connection does not end the process, because each connection has an `error` listener. If the server refuses
 * the login, the pool refreshes the login from the source and tries again, for about 3 seconds.
 *
 * `end` resolves after all connections were released and closed. It may be called more than once.
 * @throws TypeError if `pg` is not the package, and for a `connectionString` that is not a URL with a host.
 * @example
 * const source = kernel.database.credentialSource({ role: 'app' })
 * const pool = postgresqlPool({ pg, source, config: { host: 'db', database: 'app' } })
 * await pool.query('SELECT 1')
 */
export function postgresqlPool<P extends object, C extends object>(options: PostgresqlPoolOptions<P, C>): P {
  const { pg, source, config } = readOptions('postgresqlPool', options, { pg: 1, source: 1, config: 1 })
  if (typeof pg?.Pool !== 'function') throw new TypeError('postgresqlPool: pg must be the package pg')
  const given: { readonly connectionString?: unknown } = config
  if (given?.connectionString !== undefined) urlOf(given.connectionString)
  const outer = new pg.Pool({ ...config }) as unknown as DriverPool
  const pools = new SwappingPool(
    {
      name: 'postgresqlPool',
      open(login: Login) {
        const pool = new pg.Pool(withLogin(config, login) as C) as unknown as DriverPool
        for (const event of FORWARDED_EVENTS)
          pool.on(event, (...args) => {
            if (event === 'connect') (args[0] as DriverClient).on('error', ignoreError)
            // Do not emit an `error` event without a listener, because that would end the process. The event can be ignored, because the
            // driver replaces idle connections that ended.
            if (event !== 'error' || outer.listenerCount('error') > 0) outer.emit(event, ...args)
          })
        return pool
      },
      connect: (pool) => pool.connect(),
      refused: (error) => LOGIN_REFUSED.test(sqlState(error) ?? ''),
      end: (pool) => pool.end(),
    },
    source,
  )
  const take = async (): Promise<DriverClient> => {
    const { connection, done } = await pools.take()
    // The driver's pool assigns `release` again each time it hands out the connection.
    const { release } = connection
    connection.release = (error) => {
      release.call(connection, error)
      done()
    }
    return connection
  }
  const connect = (callback?: ConnectCallback): Promise<DriverClient> | undefined => {
    const client = take()
    if (callback === undefined) return client
    callBack(client, (error, value) => callback(error ?? undefined, value, value ? value.release : () => undefined))
    return undefined
  }
  const end = (callback?: () => void): Promise<void> | undefined => {
    outer.ending = true
    const ended = pools.end().then(() => {
      outer.ended = true
    })
    if (callback === undefined) return ended
    callBack(ended, callback)
    return undefined
  }
  // `query` of the driver's class gets its connections from `connect`, so it needs no replacement.
  Object.defineProperties(outer, {
    connect: { value: connect },
    end: { value: end },
    ...Object.fromEntries(COUNTS.map((name) => [name, { get: () => pools.total((pool) => pool[name] ?? 0) }])),
  })
  return outer as unknown as P
}
