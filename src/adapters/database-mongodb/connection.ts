import type {
  DatabaseConnection,
  DatabaseCredential,
  DatabaseUserChange,
  DroppedDatabaseUser,
  NewDatabaseUser,
} from '../../engines/database/port.ts'
import { DatabaseError, databaseFailure, invalidFailure } from '../database/failure.ts'
import { untilAborted } from '../database/session.ts'
import type { MongoClient } from './driver.ts'
import { mongoFailure, NO_SUCH_USER, serverCode } from './failures.ts'
import { parseStatement } from './statements.ts'

const MAJORITY = { writeConcern: { w: 'majority' } }
const DEFAULT_DATABASE = 'admin'

function passwordOf(credential: DatabaseCredential): string {
  if (credential.type !== 'password') throw invalidFailure('credential_type: MongoDB supports only password')
  return credential.password
}

function assertNoNul(...texts: readonly string[]): void {
  if (texts.some((text) => text.includes('\0'))) throw invalidFailure('username, password: must not contain a NUL character')
}

export class MongoUsers implements DatabaseConnection {
  /** MongoDB itself does not limit the length of names. This limit only bounds the size of requests. */
  readonly longest_name = { count: 512, unit: 'bytes' } as const
  readonly #client: MongoClient
  readonly #database: string
  #busy = 0
  #closing: Promise<void> | undefined
  #onQuiet: (() => void) | undefined

  /** @param database The database in which a password is changed if the statement does not name a database. */
  constructor(client: MongoClient, database: string) {
    this.#client = client
    this.#database = database
  }

  async createUser({ username, credential, statements }: NewDatabaseUser, signal: AbortSignal): Promise<void> {
    const statement = parseStatement(statements)
    if (!statement) throw invalidFailure('creation_statements: is required')
    const { db = DEFAULT_DATABASE, roles = [] } = statement
    if (roles.length === 0) throw invalidFailure('creation_statements: must have roles')
    const pwd = passwordOf(credential)
    assertNoNul(username, pwd)
    await this.#command(db, { createUser: username, pwd, roles, ...MAJORITY }, signal)
  }

  async updateUser({ username, credential, statements }: DatabaseUserChange, signal: AbortSignal): Promise<void> {
    const { db = this.#database } = parseStatement(statements) ?? {}
    // Users of MongoDB do not expire, so a new expiration needs no command.
    if (!credential) return
    const pwd = passwordOf(credential)
    assertNoNul(username, pwd)
    await this.#command(db, { updateUser: username, pwd, ...MAJORITY }, signal)
  }

  async deleteUser({ username, statements }: DroppedDatabaseUser, signal: AbortSignal): Promise<void> {
    const { db } = parseStatement(statements) ?? {}
    assertNoNul(username)
    for (const one of db === undefined ? await this.#databasesOf(username, signal) : [db]) await this.#drop(one, username, signal)
  }

  async #drop(db: string, username: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#command(db, { dropUser: username, ...MAJORITY }, signal, [NO_SUCH_USER])
    } catch (error) {
      // The error makes the caller keep the lease and drop the user again later. Until then, the user has no roles.
      if (error instanceof DatabaseError && error.reason === 'statement')
        await this.#command(db, { updateUser: username, roles: [], ...MAJORITY }, signal, 'any')
      throw error
    }
  }

  /** Closes the client after the calls in progress have ended. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    if (this.#busy > 0)
      await new Promise<void>((resolve) => {
        this.#onQuiet = resolve
      })
    await this.#client.close(true)
  }

  /**
   * Finds the databases in which the user exists, because the creation statement may have named any database. If the login may not list
   * users, assume the default database.
   */
  async #databasesOf(username: string, signal: AbortSignal): Promise<readonly string[]> {
    const command = { usersInfo: { forAllDBs: true }, filter: { user: username } }
    const answer = await this.#command(DEFAULT_DATABASE, command, signal, 'any')
    const { users = [] } = (answer ?? {}) as { readonly users?: readonly { readonly db?: unknown }[] }
    const found = users.map(({ db }) => db).filter((db) => typeof db === 'string')
    return found.length > 0 ? found : [DEFAULT_DATABASE]
  }

  /** @param tolerated Server error codes for which the call returns undefined instead of throwing. */
  async #command(db: string, command: object, signal: AbortSignal, tolerated: 'any' | readonly number[] = []): Promise<unknown> {
    if (this.#closing) throw databaseFailure('closed')
    this.#busy++
    try {
      return await untilAborted(
        signal,
        () => undefined,
        () => this.#client.db(db).command(command, { signal }),
      )
    } catch (error) {
      const code = serverCode(error)
      if (code !== undefined && (tolerated === 'any' || tolerated.includes(code))) return undefined
      throw mongoFailure(error)
    } finally {
      if (--this.#busy === 0) this.#onQuiet?.()
    }
  }
}
