import type { Deadline } from '../../core/base/deadline.ts'
import type { Environment } from '../../core/contract/environment.ts'
import { classifyDatabaseFailure } from './failures.ts'
import { pluginOf } from './plugins.ts'
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
  readonly generation: string
  readonly opening: Promise<DatabaseConnection>
  open: boolean
  /** The number of calls in progress. */
  users: number
  /** Whether to close the connection when its last call ends. */
  retired: boolean
}

/** The open connections of a kernel, one for each connection record, opened at first use. */
export class DatabaseConnections {
  readonly #env: Environment
  readonly #deadline: Deadline
  readonly #entries = new Map<string, OpenConnection>()
  /** For each tick, the keys of the connections that could not be opened or timed out. */
  readonly #failed = new WeakMap<object, Set<string>>()

  private constructor(env: Environment) {
    this.#env = env
    this.#deadline = env.deadline
    env.closing.addEventListener('abort', () => {
      for (const entry of this.#entries.values()) this.#retire(entry)
      this.#entries.clear()
    })
  }

  static of(env: Environment): DatabaseConnections {
    const known = CONNECTIONS.get(env)
    if (known) return known
    const made = new DatabaseConnections(env)
    CONNECTIONS.set(env, made)
    return made
  }

  /**
   * Calls `ask` with the connection. The time limit for `ask` starts when the connection is open; at its end, `signal` is aborted.
   * @throws NotConnectedError if the connection cannot be opened, with the failure of the plugin as `cause`; otherwise every error of
   * `ask`.
   */
  async use<T>(use: ConnectionUse, ask: (connection: DatabaseConnection, signal: AbortSignal) => Promise<T>): Promise<T> {
    if (use.tick && this.#failed.get(use.tick)?.has(connectionKey(use)))
      throw new NotConnectedError('the connection has already failed in this tick')
    const entry = this.#entryFor(use)
    entry.users++
    try {
      const connection = await this.#connected(use, entry)
      return await this.#deadline.call({ name: `database connection ${use.name}`, call: (signal) => ask(connection, signal) })
    } catch (thrown) {
      const { reason } = classifyDatabaseFailure(thrown)
      if (reason === 'closed' || reason === 'timeout') this.#drop(use, entry)
      if (use.tick && reason === 'timeout') this.#recordFailure(use.tick, connectionKey(use))
      throw thrown
    } finally {
      entry.users--
      if (entry.retired) this.#retire(entry)
    }
  }

  /** Closes a connection as soon as its calls in progress have ended. */
  close(name: ConnectionName): void {
    const entry = this.#entries.get(connectionKey(name))
    if (entry) this.#drop(name, entry)
  }

  /** Closes all connections of a plugin, or of the given mounts, each as soon as its calls in progress have ended. */
  closeAll(which: { readonly plugin: string } | { readonly mounts: readonly string[] }): void {
    for (const [key, entry] of this.#entries) {
      const matches = 'plugin' in which ? entry.plugin === which.plugin : which.mounts.includes(entry.mount)
      if (!matches) continue
      this.#entries.delete(key)
      this.#retire(entry)
    }
  }

  #entryFor(use: ConnectionUse): OpenConnection {
    const key = connectionKey(use)
    const known = this.#entries.get(key)
    if (known?.generation === use.record.generation) return known
    if (known) this.#retire(known)
    const entry: OpenConnection = {
      mount: use.mount,
      plugin: use.record.plugin_name,
      generation: use.record.generation,
      opening: this.#open(use.record),
      open: false,
      users: 0,
      retired: false,
    }
    this.#entries.set(key, entry)
    entry.opening.then(
      () => {
        entry.open = true
      },
      () => this.#drop(use, entry),
    )
    return entry
  }

  #open(record: ConnectionRecord): Promise<DatabaseConnection> {
    const plugin = pluginOf(this.#env, record)
    return this.#deadline.call({
      name: `ports.databases[${JSON.stringify(record.plugin_name)}].connect`,
      call: async (signal) => assertConnection(await plugin.connect(record.details, signal)),
      late: (connection) => connection.close(),
    })
  }

  async #connected(use: ConnectionUse, entry: OpenConnection): Promise<DatabaseConnection> {
    try {
      if (entry.open || !use.tick || entry.users === 1) return await entry.opening
      return await this.#deadline.call({
        name: `database connection ${use.name}`,
        ms: Math.ceil(this.#deadline.ms / TICK_WAIT_DIVISOR),
        call: () => entry.opening,
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

  #drop(name: ConnectionName, entry: OpenConnection): void {
    const key = connectionKey(name)
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
    this.#retire(entry)
  }

  #retire(entry: OpenConnection): void {
    entry.retired = true
    if (entry.users > 0) return
    // A failure to close affects no caller, so it is ignored.
    entry.opening.then((connection) => connection.close()).catch(() => {})
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

const CONNECTIONS = new WeakMap<Environment, DatabaseConnections>()

const connectionKey = ({ mount, name }: ConnectionName): string => `${mount}/${name}`
