import type { Deadline } from '../../core/base/deadline.ts'
import type { Environment } from '../../core/contract/environment.ts'
import { oncePerKernel } from '../../core/contract/once-per-kernel.ts'
import { ClientCache } from '../credentials/client-cache.ts'
import { classifyDatabaseFailure } from './failures.ts'
import { pluginOf } from './find-connection.ts'
import type { DatabaseConnection } from './port.ts'
import type { ConnectionRecord } from './records.ts'

export interface ConnectionName {
  /** The uuid of the mount. */
  readonly mount: string
  readonly name: string
}

export interface ConnectionUse extends ConnectionName {
  readonly record: ConnectionRecord
  /**
   * The tick in which the call is made, if any. If opening or using a connection failed in a tick, later calls of that tick fail at once.
   */
  readonly tick: object | undefined
}

/** Thrown if the connection could not be opened, so that no request was sent to the database. */
export class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError'
}

/**
 * In each tick, the first item of background work that needs a connection waits until the deadline for the connection to open. Later items
 * wait only for the deadline divided by this number. Otherwise items that wait for an unreachable database would use up the number of items
 * that may run concurrently.
 */
const TICK_WAIT_DIVISOR = 3

interface OpenConnection {
  readonly mount: string
  readonly plugin: string
  readonly opening: Promise<DatabaseConnection>
  isOpen: boolean
}

/** The open connections of a kernel, one for each connection record, opened at first use. */
class DatabaseConnections {
  readonly #env: Environment
  readonly #deadline: Deadline
  readonly #cache: ClientCache<OpenConnection>
  /** For each tick, the keys of the connections that could not be opened or timed out. */
  readonly #failed = new WeakMap<object, Set<string>>()

  constructor(env: Environment) {
    this.#env = env
    this.#deadline = env.deadline
    this.#cache = new ClientCache(env, async ({ opening }) => (await opening).close())
  }

  /**
   * Calls `ask` with the connection. The time limit for `ask` starts when the connection is open; at its end, `signal` is aborted.
   * @throws NotConnectedError if the connection cannot be opened, with the failure of the plugin as `cause`; otherwise every error of
   * `ask`.
   */
  async use<T>(use: ConnectionUse, ask: (connection: DatabaseConnection, signal: AbortSignal) => Promise<T>): Promise<T> {
    const key = connectionKey(use)
    const { tick, name, record } = use
    if (tick && this.#failed.get(tick)?.has(key)) throw new NotConnectedError('the connection has already failed in this tick')
    const open = (): OpenConnection => this.#open(use)
    return this.#cache.use(key, record.generation, open, async (client, { isOnlyCall }) => {
      try {
        const connection = await this.#connected(use, client, isOnlyCall)
        return await this.#deadline.call({ name: `database connection ${name}`, call: (signal) => ask(connection, signal) })
      } catch (thrown) {
        const { reason } = classifyDatabaseFailure(thrown)
        if (reason === 'closed' || reason === 'timeout') this.#cache.drop(key, client)
        if (tick && reason === 'timeout') this.#recordFailure(tick, key)
        throw thrown
      }
    })
  }

  /** Closes a connection as soon as its calls in progress have ended. */
  close(name: ConnectionName): void {
    this.#cache.drop(connectionKey(name))
  }

  /** Closes all connections of a plugin, or of the given mounts, each as soon as its calls in progress have ended. */
  closeAll(which: { readonly plugin: string } | { readonly mounts: readonly string[] }): void {
    this.#cache.dropAll(({ plugin, mount }) => ('plugin' in which ? plugin === which.plugin : which.mounts.includes(mount)))
  }

  #open(use: ConnectionUse): OpenConnection {
    const { mount, record } = use
    const plugin = pluginOf(this.#env, record)
    const opening = this.#deadline.call({
      name: `ports.databases[${JSON.stringify(record.plugin_name)}].connect`,
      call: async (signal) => assertConnection(await plugin.connect(record.details, signal)),
      late: (connection) => connection.close(),
    })
    const client: OpenConnection = { mount, plugin: record.plugin_name, opening, isOpen: false }
    opening.then(
      () => {
        client.isOpen = true
      },
      () => this.#cache.drop(connectionKey(use), client),
    )
    return client
  }

  async #connected(use: ConnectionUse, { opening, isOpen }: OpenConnection, isOnlyCall: boolean): Promise<DatabaseConnection> {
    try {
      if (isOpen || !use.tick || isOnlyCall) return await opening
      return await this.#deadline.call({
        name: `database connection ${use.name}`,
        ms: Math.ceil(this.#deadline.ms / TICK_WAIT_DIVISOR),
        call: () => opening,
      })
    } catch (cause) {
      if (use.tick) this.#recordFailure(use.tick, connectionKey(use))
      throw new NotConnectedError('no connection', { cause })
    }
  }

  #recordFailure(tick: object, key: string): void {
    const failed = this.#failed.get(tick) ?? new Set()
    failed.add(key)
    this.#failed.set(tick, failed)
  }
}

const CONNECTION_METHODS = ['createUser', 'updateUser', 'deleteUser', 'close'] as const

/** @throws TypeError if a method or member of the port is missing. */
function assertConnection(connection: DatabaseConnection): DatabaseConnection {
  const { longest_name: longest } = (connection ?? {}) as Partial<DatabaseConnection>
  const isWhole =
    longest && typeof longest.count === 'number' && CONNECTION_METHODS.every((name) => typeof connection[name] === 'function')
  if (isWhole) return connection
  throw new TypeError('connect: must resolve to an object with all members of DatabaseConnection')
}

export const connectionsOf = /* @__PURE__ */ oncePerKernel((env) => new DatabaseConnections(env))

const connectionKey = ({ mount, name }: ConnectionName): string => `${mount}/${name}`
