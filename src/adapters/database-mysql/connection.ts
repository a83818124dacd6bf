import type {
  DatabaseConnection,
  DatabaseCredential,
  DatabaseUserChange,
  DroppedDatabaseUser,
  NewDatabaseUser,
} from '../../engines/database/port.ts'
import { expirationText } from '../database/expiration.ts'
import { DatabaseError, databaseFailure, invalidFailure } from '../database/failure.ts'
import { mysqlScanner } from '../database/mysql-scanner.ts'
import type { SessionPool } from '../database/session-pool.ts'
import { splitStatements } from '../database/split-statements.ts'
import { type PlaceholderValues, substitute } from '../database/substitute.ts'
import { NO_SUCH_USER } from './failures.ts'
import type { MysqlSession } from './session.ts'

const CHANGE_PASSWORD = `ALTER USER '{{name}}'@'{{username}}' IDENTIFIED BY '{{password}}'`
const REVOKE_ALL = `REVOKE ALL PRIVILEGES, GRANT OPTION FROM '{{name}}'@'%'`
const DROP = `DROP USER '{{name}}'@'%'`
const LOCK = `ALTER USER '{{name}}'@'%' ACCOUNT LOCK`
const SESSIONS = `SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER = '{{name}}'`

/** Fills `CHANGE_PASSWORD`, which uses the placeholder `{{username}}` for the host. */
const changePassword = (values: PlaceholderValues, host: string): string =>
  substitute(CHANGE_PASSWORD, mysqlScanner, { ...values, username: host })

const isRefusal = (error: unknown): error is DatabaseError => error instanceof DatabaseError && error.reason === 'statement'

function placeholderValues(name: string, credential?: DatabaseCredential): PlaceholderValues {
  if (credential === undefined) return { name, username: name }
  if (credential.type !== 'password') throw invalidFailure('credential_type: MySQL supports only password')
  return { name, username: name, password: credential.password }
}

const fillQueries = (queries: readonly string[], values: PlaceholderValues): readonly string[] =>
  queries.map((query) => substitute(query, mysqlScanner, values))

export class MysqlUsers implements DatabaseConnection {
  readonly longest_name: DatabaseConnection['longest_name']
  readonly #pool: SessionPool<MysqlSession>

  constructor(pool: SessionPool<MysqlSession>, version: string) {
    this.#pool = pool
    const mariaDb = version.includes('MariaDB') && Number.parseInt(version, 10) >= 10
    this.longest_name = { count: mariaDb ? 128 : 32, unit: 'characters' }
  }

  async createUser(user: NewDatabaseUser, signal: AbortSignal): Promise<void> {
    const queries = splitStatements(user.statements, mysqlScanner)
    if (queries.length === 0) throw invalidFailure('creation_statements: is required')
    const values = { ...placeholderValues(user.username, user.credential), expiration: expirationText(user.expiration) }
    const texts = fillQueries(queries, values)
    const given = splitStatements(user.rollback_statements, mysqlScanner)
    const rollback = fillQueries(given.length > 0 ? given : [DROP], values)
    await this.#pool.use(signal, async (session) => {
      const there = await session.hasUser(user.username)
      // Refuse an existing user, because statements such as CREATE USER IF NOT EXISTS would take it over.
      if (there) throw databaseFailure('statement', 'ER_CANNOT_USER')
      let done = 0
      try {
        await session.query('START TRANSACTION')
        for (const text of texts) {
          await session.query(text)
          done++
        }
        await session.query('COMMIT')
      } catch (error) {
        const ours = there === false || queries.some((query, i) => i < done && query !== texts[i])
        if (isRefusal(error)) await rollBack(session, ours ? rollback : [])
        throw error
      }
    })
  }

  async updateUser(change: DatabaseUserChange, signal: AbortSignal): Promise<void> {
    const { username, credential, expiration } = change
    const given = splitStatements(change.statements, mysqlScanner)
    const values = {
      ...placeholderValues(username, credential),
      ...(expiration !== undefined && { expiration: expirationText(expiration) }),
    }
    const texts = fillQueries(given, values)
    await this.#pool.use(signal, async (session) => {
      for (const text of texts) await session.query(text)
      if (texts.length > 0 || !credential) return
      // If the connection's own password is changed, query the host of its user, which may differ from `%`. `CURRENT_USER()` in the
      // statement itself would not work: MariaDB would then change nothing.
      const { name, host } = await session.account()
      await session.query(changePassword(values, name === username ? host : '%'))
    })
  }

  async deleteUser({ username, statements }: DroppedDatabaseUser, signal: AbortSignal): Promise<void> {
    const values = placeholderValues(username)
    const given = fillQueries(splitStatements(statements, mysqlScanner), values)
    await this.#pool.use(signal, async (session) => {
      const [revokeAll, drop, lock, sessions] = fillQueries([REVOKE_ALL, DROP, LOCK, SESSIONS], values) as [
        string,
        string,
        string,
        string,
      ]
      const endSessions = async (): Promise<void> => {
        const open = (await ignoreRefusal(session.query(sessions))) ?? []
        for (const { id } of open) if (/^\d+$/.test(String(id))) await ignoreRefusal(session.query(`KILL ${id}`))
      }
      try {
        if (given.length > 0) {
          for (const text of given) await unlessGone(session, username, text)
          return
        }
        if ((await session.hasUser(username)) === false) return
        // Ignore a refusal here: DROP USER also revokes all privileges, so only its result counts.
        await ignoreRefusal(session.query(revokeAll))
        await unlessGone(session, username, drop)
        // Dropping a user does not end its sessions.
        await endSessions()
      } catch (error) {
        // The error makes the caller keep the lease and drop the user again later. Until then, the user cannot log in.
        if (isRefusal(error)) {
          await ignoreRefusal(session.query(lock))
          await endSessions()
        }
        throw error
      }
    })
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

async function ignoreRefusal<T>(query: Promise<T>): Promise<T | undefined> {
  try {
    return await query
  } catch (error) {
    if (!isRefusal(error)) throw error
    return undefined
  }
}

/** Runs a statement that drops a user, and ignores its failure if the user does not exist. */
async function unlessGone(session: MysqlSession, name: string, text: string): Promise<void> {
  try {
    await session.query(text)
  } catch (error) {
    if (!isRefusal(error) || !NO_SUCH_USER.test(error.code ?? '') || (await session.hasUser(name)) === true) throw error
  }
}

/**
 * Undoes a creation that failed halfway. Statements about users commit implicitly, so ROLLBACK is not enough. If undoing fails, the user
 * may exist, so the failure must not be reported as a refusal (`statement`).
 */
async function rollBack(session: MysqlSession, queries: readonly string[]): Promise<void> {
  await session.query('ROLLBACK')
  for (const text of queries)
    try {
      await session.query(text)
    } catch (error) {
      if (isRefusal(error) && !NO_SUCH_USER.test(error.code ?? '')) throw databaseFailure('connection', error.code)
      if (!isRefusal(error)) throw error
    }
}
