import { randomBytes } from 'node:crypto'
import type {
  DatabaseConnection,
  DatabaseCredential,
  DatabaseUserChange,
  DroppedDatabaseUser,
  NewDatabaseUser,
} from '../../engines/database/port.ts'
import { expirationText } from '../database/expiration.ts'
import { DatabaseError, databaseFailure, invalidFailure } from '../database/failure.ts'
import { postgresqlScanner } from '../database/postgresql-scanner.ts'
import type { SessionPool } from '../database/session-pool.ts'
import { splitStatements } from '../database/split-statements.ts'
import { type PlaceholderValues, substitute } from '../database/substitute.ts'
import { DEFAULT_REVOCATION, LOCK, LOCK_AND_REVOKE } from './revocation.ts'
import { SALT_BYTES, scramVerifier } from './scram.ts'
import type { PgSession } from './session.ts'

const CHANGE_PASSWORD = `ALTER ROLE "{{name}}" WITH PASSWORD '{{password}}'`
const CHANGE_EXPIRATION = `ALTER ROLE "{{name}}" VALID UNTIL '{{expiration}}'`
const FIND = `SELECT oid FROM pg_catalog.pg_roles WHERE rolname = '{{name}}'`

/**
 * SQLSTATEs after which a retry may succeed: serialization failure, deadlock, and `tuple concurrently updated` (concurrent changes of one
 * object's privileges).
 */
const RETRYABLE = /^(40001|40P01|XX000)$/
const MAX_ATTEMPTS = 8
const MAX_PAUSE_MS = 50

const DUPLICATE = '42710'
const UNDEFINED = '42704'

export class PgUsers implements DatabaseConnection {
  readonly longest_name = { count: 63, unit: 'bytes' } as const
  readonly #pool: SessionPool<PgSession>
  readonly #scram: boolean

  /** @param scram Whether to send SCRAM verifiers to the server instead of passwords. */
  constructor(pool: SessionPool<PgSession>, scram: boolean) {
    this.#pool = pool
    this.#scram = scram
  }

  async createUser(user: NewDatabaseUser, signal: AbortSignal): Promise<void> {
    const queries = splitStatements(user.statements, postgresqlScanner)
    if (queries.length === 0) throw invalidFailure('creation_statements: is required')
    const values = {
      ...(await this.#named(user.username, user.credential)),
      expiration: expirationText(user.expiration),
    }
    await this.#run(queries, values, signal, (there) => {
      // Without this check, the statements could take over an existing role.
      if (there) throw databaseFailure('statement', DUPLICATE)
      return true
    })
  }

  async updateUser(change: DatabaseUserChange, signal: AbortSignal): Promise<void> {
    const { username, credential, expiration } = change
    const given = splitStatements(change.statements, postgresqlScanner)
    const defaults = [credential && CHANGE_PASSWORD, expiration !== undefined && CHANGE_EXPIRATION].filter(Boolean) as string[]
    const values = {
      ...(await this.#named(username, credential)),
      ...(expiration !== undefined && { expiration: expirationText(expiration) }),
    }
    await this.#run(given.length > 0 ? given : defaults, values, signal)
  }

  async deleteUser({ username, statements }: DroppedDatabaseUser, signal: AbortSignal): Promise<void> {
    const given = splitStatements(statements, postgresqlScanner)
    let there = true
    try {
      await this.#run(given.length > 0 ? given : DEFAULT_REVOCATION, await this.#named(username), signal, (found) => {
        there = found
        return found || given.length > 0
      })
    } catch (error) {
      if (!(error instanceof DatabaseError && error.reason === 'statement')) throw error
      if (!there && error.code === UNDEFINED) return
      // The error makes the caller keep the lease and drop the role again later. Until then, the role is locked.
      if (there) await this.#lock(username, given.length > 0 ? LOCK : LOCK_AND_REVOKE, signal)
      throw error
    }
  }

  /** Runs each statement in a separate transaction, so that a refused statement does not undo the others. */
  async #lock(username: string, statements: readonly string[], signal: AbortSignal): Promise<void> {
    const values = await this.#named(username)
    for (const statement of statements)
      try {
        await this.#run([statement], values, signal)
      } catch (error) {
        if (!(error instanceof DatabaseError && error.reason === 'statement')) throw error
      }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  async #named(name: string, credential?: DatabaseCredential): Promise<PlaceholderValues> {
    if (credential === undefined) return { name, username: name }
    if (credential.type !== 'password') throw invalidFailure('credential_type: PostgreSQL supports only password')
    const { password } = credential
    return { name, username: name, password: this.#scram ? await scramVerifier(password, randomBytes(SALT_BYTES)) : password }
  }

  /** @param found Called before the queries, with true if the role exists. The queries run only if `found` returns true. */
  async #run(
    queries: readonly string[],
    values: PlaceholderValues,
    signal: AbortSignal,
    found?: (there: boolean) => boolean,
  ): Promise<void> {
    const texts = queries.map((query) => substitute(query, postgresqlScanner, values))
    const find = substitute(FIND, postgresqlScanner, values)
    for (let tries = 1; ; tries++)
      try {
        return await this.#pool.use(signal, async (session) => {
          const [first] = texts
          // A single statement needs no BEGIN: PostgreSQL runs it in a transaction of its own.
          if (first !== undefined && texts.length === 1 && !found) await session.query(first)
          else await session.transaction(find, (rows) => (!found || found(rows.length > 0) ? texts : []))
        })
      } catch (error) {
        if (tries === MAX_ATTEMPTS || !(error instanceof DatabaseError && RETRYABLE.test(error.code ?? ''))) throw error
        await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS))
      }
  }
}
