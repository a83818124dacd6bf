/**
 * The connections to databases that a kernel has open: one for each record, made at first use.
 */
import type { Deadline } from '../../core/base/deadline.ts'
import type { Environment } from '../../core/contract/tx.ts'
import { classifyDatabaseFailure } from './failures.ts'
import { pluginOf } from './plugins.ts'
import type { DatabaseConnection } from './port.ts'
import type { ConnectionRecord } from './records.ts'

/** Whose connection it is. */
export interface ConnectionName {
  /** The uuid of the mount. */
  readonly mount: string
  readonly name: string
}

export interface ConnectionUse extends ConnectionName {
  readonly record: ConnectionRecord
  /** The tick that asks, if one does: what has failed in it is not tried again. */
  readonly tick: object | undefined
}

/** A connection could not be made, so nothing was asked of the database. */
export class NotConnectedError extends Error {
  override readonly name = 'NotConnected'
}

/** In a tick one item at a time waits for a connection as long as it may; the others give up their places after a part of that. */
const TICK_WAIT_DIVISOR = 3

interface OpenConnection {
  readonly mount: string
  readonly plugin: string
  readonly generation: string
  readonly opening: Promise<DatabaseConnection>
  open: boolean
  /** Who is asking it something. */
  users: number
  /** Closed when nobody is. */
  retired: boolean
}

export class DatabaseConnections {
  readonly #env: Environment
  readonly #deadline: Deadline
  readonly #lines = new Map<string, OpenConnection>()
  /** Names of connections that failed or answered nothing in time, by tick. */
  readonly #failed = new WeakMap<object, Set<string>>()

  private constructor(env: Environment) {
    this.#env = env
    this.#deadline = env.deadline
    env.closing.addEventListener('abort', () => {
      for (const line of this.#lines.values()) this.#retire(line)
      this.#lines.clear()
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
   * Asks the database something. What is asked has a deadline of its own, and ends with `signal`.
   * @throws NotConnected with the plugin's failure as cause; what `ask` throws.
   */
  async use<T>(use: ConnectionUse, ask: (connection: DatabaseConnection, signal: AbortSignal) => Promise<T>): Promise<T> {
    if (use.tick && this.#failed.get(use.tick)?.has(connectionKey(use))) throw new NotConnectedError('failed in this tick')
    const line = this.#lineFor(use)
    line.users++
    try {
      const connection = await this.#connected(use, line)
      return await this.#deadline.ask({ what: `database connection ${use.name}`, ask: (signal) => ask(connection, signal) })
    } catch (thrown) {
      const { reason } = classifyDatabaseFailure(thrown)
      if (reason === 'closed' || reason === 'timeout') this.#drop(use, line)
      if (use.tick && reason === 'timeout') this.#note(use.tick, connectionKey(use))
      throw thrown
    } finally {
      line.users--
      if (line.retired) this.#retire(line)
    }
  }

  /** Closes what is open under a name. Whoever is asking it something comes to an end first. */
  close(name: ConnectionName): void {
    const line = this.#lines.get(connectionKey(name))
    if (line) this.#drop(name, line)
  }

  /** {@link close} for all connections of a plugin, or of mounts. */
  closeAll(which: { readonly plugin: string } | { readonly mounts: readonly string[] }): void {
    for (const [key, line] of this.#lines) {
      const named = 'plugin' in which ? line.plugin === which.plugin : which.mounts.includes(line.mount)
      if (!named) continue
      this.#lines.delete(key)
      this.#retire(line)
    }
  }

  #lineFor(use: ConnectionUse): OpenConnection {
    const key = connectionKey(use)
    const known = this.#lines.get(key)
    if (known?.generation === use.record.generation) return known
    if (known) this.#retire(known)
    const line: OpenConnection = {
      mount: use.mount,
      plugin: use.record.plugin_name,
      generation: use.record.generation,
      opening: this.#open(use.record),
      open: false,
      users: 0,
      retired: false,
    }
    this.#lines.set(key, line)
    line.opening.then(
      () => {
        line.open = true
      },
      () => this.#drop(use, line),
    )
    return line
  }

  #open(record: ConnectionRecord): Promise<DatabaseConnection> {
    const plugin = pluginOf(this.#env, record)
    return this.#deadline.ask({
      what: `ports.databases[${JSON.stringify(record.plugin_name)}].connect`,
      ask: async (signal) => assertConnection(await plugin.connect(record.details, signal)),
      late: (connection) => connection.close(),
    })
  }

  async #connected(use: ConnectionUse, line: OpenConnection): Promise<DatabaseConnection> {
    try {
      if (line.open || !use.tick || line.users === 1) return await line.opening
      return await this.#deadline.ask({
        what: `database connection ${use.name}`,
        ms: Math.ceil(this.#deadline.ms / TICK_WAIT_DIVISOR),
        ask: () => line.opening,
      })
    } catch (cause) {
      if (use.tick) this.#note(use.tick, connectionKey(use))
      throw new NotConnectedError('no connection', { cause })
    }
  }

  #note(tick: object, key: string): void {
    const failed = this.#failed.get(tick) ?? new Set()
    failed.add(key)
    this.#failed.set(tick, failed)
  }

  #drop(name: ConnectionName, line: OpenConnection): void {
    const key = connectionKey(name)
    if (this.#lines.get(key) === line) this.#lines.delete(key)
    this.#retire(line)
  }

  #retire(line: OpenConnection): void {
    line.retired = true
    if (line.users > 0) return
    // How a connection ends that nobody needs any more is of no interest.
    line.opening.then((connection) => connection.close()).catch(() => {})
  }
}

const CONNECTION_METHODS = ['createUser', 'updateUser', 'deleteUser', 'close'] as const

/** @throws TypeError for what is no connection. */
function assertConnection(connection: DatabaseConnection): DatabaseConnection {
  const { longest_name: longest } = (connection ?? {}) as Partial<DatabaseConnection>
  const isWhole =
    longest && typeof longest.count === 'number' && CONNECTION_METHODS.every((name) => typeof connection[name] === 'function')
  if (isWhole) return connection
  throw new TypeError('connect: resolved something that is no connection')
}

const CONNECTIONS = new WeakMap<Environment, DatabaseConnections>()

const connectionKey = ({ mount, name }: ConnectionName): string => `${mount}/${name}`
