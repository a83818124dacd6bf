/**
 * A database in memory: users with credentials, and trouble when it is told to have some.
 */

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
   * `refuses`: the server says no (`auth` for a login). `unreachable` and `loses`: no connection, a lost answer (both `connection`).
   * `hangs`: nothing comes until the signal ends the call. `deaf`: nothing comes at all, whatever the signal says. An Error: it is thrown as it is.
   */
  readonly manner: 'refuses' | 'unreachable' | 'loses' | 'hangs' | 'deaf' | Error
  /** Before the call is applied, or after; the default is `after` with `loses` and `before` with all others. */
  readonly when?: 'before' | 'after'
  /** How many calls meet it; default 1. */
  readonly times?: number
}

export interface FakeDatabaseUser {
  readonly credential: DatabaseCredential
  /** Milliseconds; absent: it never ends. */
  readonly expiration?: number
  /** The last statements that made or changed it. */
  readonly statements: readonly string[]
}

export interface FakeDatabasePlugin extends DatabasePlugin {
  readonly users: ReadonlyMap<string, FakeDatabaseUser>
  /** How often each was called. */
  readonly calls: Readonly<Record<DatabaseCall | 'close', number>>
  /** Connections that were not closed yet. */
  readonly open: number
  /** Whether the server lets this user in. */
  login(username: string, password: string): boolean
  /** A user that was there before, such as that of a static role. */
  addUser(username: string, password: string): void
  /** The next calls of that kind meet it. Trouble that was given earlier comes first. Returns what takes it back. */
  trouble(trouble: DatabaseTrouble): () => void
}

export interface FakeDatabasePluginOptions {
  /** Who details have to name; default `root` with `root-password`. */
  readonly root?: { readonly username: string; readonly password: string }
  /** Judges expirations; without it no user expires. */
  readonly clock?: Clock
  /** Default: password only. */
  readonly credentialTypes?: readonly CredentialType[]
  /** Default: 63 bytes. */
  readonly longestName?: DatabaseConnection['longest_name']
  readonly version?: string
}

const MESSAGES: Readonly<Record<DatabaseFailureReason, string>> = {
  invalid: 'cannot be',
  connection: 'no connection',
  auth: 'login refused',
  statement: 'statement refused',
  closed: 'closed',
  timeout: 'called off',
}

const failure = (reason: DatabaseFailureReason, code?: string): Error =>
  Object.assign(new Error(`fakeDatabasePlugin: ${MESSAGES[reason]}`), { reason }, code === undefined ? undefined : { code })

const invalid = (message: string): Error => Object.assign(new Error(message), { reason: 'invalid' as const })

/** A statement that holds this text is refused. */
const REFUSED_MARKER = 'FAIL'

const CALLS = ['connect', 'createUser', 'updateUser', 'deleteUser']
const MANNERS = ['refuses', 'unreachable', 'loses', 'hangs', 'deaf']
const TIMES = ['before', 'after']

const isText = (value: unknown): value is string => typeof value === 'string'

/**
 * Stands in for a server and its plugin. Statements are kept and never run: what matters of them is that there are some, and that one with
 * `FAIL` in it is refused. `connection_url` may be any text.
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
    if (statements.some((statement) => statement.includes('\0'))) throw invalid('a statement holds a NUL character')
    if (statements.some((statement) => statement.includes(REFUSED_MARKER))) throw failure('statement', 'REFUSED')
  }

  const connection = (): DatabaseConnection => {
    let closed = false
    open++
    const judge = (signal: AbortSignal): void => {
      if (closed) throw failure('closed')
      if (signal.aborted) throw failure('timeout')
    }
    return {
      longest_name: longestName,
      async createUser({ username, credential, statements, expiration }, signal) {
        judge(signal)
        if (statements.every((statement) => statement.trim() === '')) throw invalid('there are no creation statements')
        await carryOut('createUser', signal, () => {
          run(statements)
          if (users.has(username)) throw failure('statement', 'DUPLICATE')
          users.set(username, { credential, expiration, statements })
        })
      },
      async updateUser({ username, credential, expiration, statements }, signal) {
        judge(signal)
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
        judge(signal)
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
      if (!isText(details['connection_url']) || details['connection_url'] === '') throw invalid('connection_url is missing')
      for (const name of ['username', 'password']) if (!isText(details[name] ?? '')) throw invalid(`${name} has to be a text`)
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
      // One that nobody is handed is none that is open.
      return connection()
    },
  }
}
