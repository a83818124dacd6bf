import type { Clock } from '../core/base/clock.ts'
import { readOptions } from '../core/base/options.ts'
import type {
  ConnectionDetails,
  CredentialType,
  DatabaseConnection,
  DatabaseCredential,
  DatabaseFailureReason,
  DatabasePlugin,
} from '../engines/database/port.ts'
import { readTrouble } from './read-trouble.ts'

export type DatabaseCall = 'connect' | 'createUser' | 'updateUser' | 'deleteUser'

export interface DatabaseTrouble {
  readonly call: DatabaseCall
  /**
   * How the call fails:
   *
   * - `refuses`: the server refuses the call (reason `auth` for `connect`, `statement` for other calls).
   * - `unreachable`: there is no connection (reason `connection`).
   * - `loses`: the answer is lost (reason `connection`).
   * - `hangs`: there is no answer until the signal is aborted.
   * - `deaf`: there is no answer at all, and the signal is ignored.
   * - An Error is thrown unchanged.
   */
  readonly manner: 'refuses' | 'unreachable' | 'loses' | 'hangs' | 'deaf' | Error
  /** Whether the call fails before or after it takes effect. Default: `after` for `loses`, `before` for all others. */
  readonly when?: 'before' | 'after'
  /** The number of calls that fail. Default: 1. */
  readonly times?: number
}

export interface FakeDatabaseUser {
  readonly credential: DatabaseCredential
  /** When the user expires, in milliseconds since the Unix epoch. Absent if the user does not expire. */
  readonly expiration?: number
  /** The statements of the last call that created or changed the user. */
  readonly statements: readonly string[]
}

export interface FakeDatabasePlugin extends DatabasePlugin {
  readonly users: ReadonlyMap<string, FakeDatabaseUser>
  /** The number of calls of each method. */
  readonly calls: Readonly<Record<DatabaseCall | 'close', number>>
  /** The number of open connections. */
  readonly open: number
  /** Returns whether the server accepts this login. */
  login(username: string, password: string): boolean
  /** Adds a user that exists independently of the engine, such as the user of a static role. */
  addUser(username: string, password: string): void
  /**
   * Adds a failure: the next matching calls fail. Failures that were added earlier apply first. Returns a function that removes the
   * failure.
   */
  trouble(trouble: DatabaseTrouble): () => void
}

export interface FakeDatabasePluginOptions {
  /** The user that exists at the start. Default: the user `root` with the password `root-password`. */
  readonly root?: { readonly username: string; readonly password: string }
  /** The clock by which users expire. If absent, users do not expire. */
  readonly clock?: Clock
  /** The supported credential types. Default: only `password`. */
  readonly credentialTypes?: readonly CredentialType[]
  /** The maximum length of a user name. Default: 63 bytes. */
  readonly longestName?: DatabaseConnection['longest_name']
  readonly version?: string
}

const MESSAGES: Readonly<Record<DatabaseFailureReason, string>> = {
  invalid: 'invalid parameters',
  connection: 'no connection',
  auth: 'login refused',
  statement: 'statement refused',
  closed: 'closed',
  timeout: 'aborted',
}

const failure = (reason: DatabaseFailureReason, code?: string): Error =>
  Object.assign(new Error(`fakeDatabasePlugin: ${MESSAGES[reason]}`), { reason }, code === undefined ? undefined : { code })

const invalid = (message: string): Error => Object.assign(new Error(message), { reason: 'invalid' as const })

/** The fake server refuses statements that contain this text. */
const REFUSED_MARKER = 'FAIL'

const CALLS = ['connect', 'createUser', 'updateUser', 'deleteUser']
const MANNERS = ['refuses', 'unreachable', 'loses', 'hangs', 'deaf']
const TIMES = ['before', 'after']

const isText = (value: unknown): value is string => typeof value === 'string'

/**
 * Returns a database plugin with a server in memory, for tests. The server records statements and does not execute them. It refuses to
 * create a user without statements, and refuses every statement that contains `FAIL`. `connection_url` can be any string.
 */
export function fakeDatabasePlugin(given: FakeDatabasePluginOptions = {}): FakeDatabasePlugin {
  const options = readOptions('fakeDatabasePlugin', given, {
    root: 1,
    clock: 1,
    credentialTypes: 1,
    longestName: 1,
    version: 1,
  })
  const { root = { username: 'root', password: 'root-password' }, clock, longestName = { count: 63, unit: 'bytes' } } = options
  const users = new Map<string, FakeDatabaseUser>()
  const calls = { connect: 0, createUser: 0, updateUser: 0, deleteUser: 0, close: 0 }
  const troubles: { readonly trouble: DatabaseTrouble; left: number }[] = []
  let open = 0

  const add = (username: string, password: string): void =>
    void users.set(username, { credential: { type: 'password', password }, statements: [] })
  add(root.username, root.password)

  const login = (username: unknown, password: unknown): boolean => {
    const user = isText(username) ? users.get(username) : undefined
    if (user?.credential.type !== 'password' || user.credential.password !== password) return false
    return !clock || user.expiration === undefined || clock.now() < user.expiration
  }

  const meet = async ({ manner }: DatabaseTrouble, call: DatabaseCall, signal: AbortSignal): Promise<never> => {
    if (manner instanceof Error) throw manner
    if (manner === 'refuses') throw failure(call === 'connect' ? 'auth' : 'statement', 'REFUSED')
    if (manner !== 'hangs' && manner !== 'deaf') throw failure('connection', 'ECONNRESET')
    await new Promise<void>((resolve) => {
      if (manner === 'hangs') signal.addEventListener('abort', () => resolve(), { once: true })
      if (manner === 'hangs' && signal.aborted) resolve()
    })
    throw failure('timeout')
  }

  const carryOut = async <T>(call: DatabaseCall, signal: AbortSignal, apply: () => T): Promise<T> => {
    calls[call]++
    const met = troubles.find((one) => one.left > 0 && one.trouble.call === call)
    const when = met?.trouble.when ?? (met?.trouble.manner === 'loses' ? 'after' : 'before')
    if (met) met.left--
    if (met && when === 'before') await meet(met.trouble, call, signal)
    if (signal.aborted) throw failure('timeout')
    const result = apply()
    if (met && when === 'after') await meet(met.trouble, call, signal)
    return result
  }

  const run = (statements: readonly string[]): void => {
    if (statements.some((statement) => statement.includes('\0'))) throw invalid('statements: must not contain a NUL character')
    if (statements.some((statement) => statement.includes(REFUSED_MARKER))) throw failure('statement', 'REFUSED')
  }

  const connection = (): DatabaseConnection => {
    let closed = false
    open++
    const assertAvailable = (signal: AbortSignal): void => {
      if (closed) throw failure('closed')
      if (signal.aborted) throw failure('timeout')
    }
    return {
      longest_name: longestName,
      async createUser({ username, credential, statements, expiration }, signal) {
        assertAvailable(signal)
        if (statements.every((statement) => statement.trim() === '')) throw invalid('creation_statements: is required')
        await carryOut('createUser', signal, () => {
          run(statements)
          if (users.has(username)) throw failure('statement', 'DUPLICATE')
          users.set(username, { credential, expiration, statements })
        })
      },
      async updateUser({ username, credential, expiration, statements }, signal) {
        assertAvailable(signal)
        await carryOut('updateUser', signal, () => {
          run(statements)
          const user = users.get(username)
          if (!user) throw failure('statement', 'UNKNOWN')
          users.set(username, {
            ...user,
            ...(credential && { credential }),
            ...(expiration !== undefined && { expiration }),
            statements,
          })
        })
      },
      async deleteUser({ username, statements }, signal) {
        assertAvailable(signal)
        await carryOut('deleteUser', signal, () => {
          run(statements)
          users.delete(username)
        })
      },
      async close() {
        if (closed) return
        closed = true
        calls.close++
        open--
      },
    }
  }

  return {
    ...(options.version !== undefined && { version: options.version }),
    credential_types: options.credentialTypes ?? ['password'],
    username_template:
      '{{ printf "v-%s-%s-%s-%s" (.DisplayName | truncate 8) (.RoleName | truncate 8) (random 20) (unix_time) | truncate 63 }}',
    users,
    calls,
    get open() {
      return open
    },
    login,
    addUser: add,
    trouble(given) {
      const trouble = readTrouble('fakeDatabasePlugin.trouble', given, { call: CALLS, manner: MANNERS, when: TIMES })
      const told = { trouble, left: trouble.times ?? 1 }
      troubles.push(told)
      return () => {
        told.left = 0
      }
    },
    configure(details) {
      if (!isText(details['connection_url']) || details['connection_url'] === '') throw invalid('connection_url: is required')
      for (const name of ['username', 'password']) if (!isText(details[name] ?? '')) throw invalid(`${name}: must be a string`)
      return details
    },
    shown({ password: _, private_key: __, ...shown }: ConnectionDetails) {
      return shown
    },
    warnings: () => [],
    async connect({ username, password }, signal) {
      if (signal.aborted) throw failure('timeout')
      await carryOut('connect', signal, () => {
        if (!login(username, password)) throw failure('auth', 'LOGIN')
      })
      // Count the connection only after the login, since the caller of a failed login receives no connection to close.
      return connection()
    },
  }
}
