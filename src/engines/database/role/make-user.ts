import { effect } from '../../../core/contract/effect.ts'
import { callDatabaseFromEffect } from '../database-calls.ts'
import type { DatabaseCredential } from '../port.ts'
import { validateUsernameLength } from '../username.ts'

/** The stored intent. It contains the data that recovery needs to drop the user, and no secret. */
export interface DatabaseUserIntent {
  readonly username: string
  readonly role: string
  readonly db_name: string
  readonly revocation_statements: readonly string[]
  /** The time at which the database refuses the user, in milliseconds since the Unix epoch. */
  readonly expiration: number
}

/** The data of the effect that is never stored. If this process stops, the password of the user is lost, so recovery drops the user. */
export interface DatabaseUserInput {
  readonly credential: DatabaseCredential
  readonly creation_statements: readonly string[]
  readonly rollback_statements: readonly string[]
  /** The members of the answer besides the user name. */
  readonly shown: Readonly<Record<string, string>>
  /** The lifetime of the lease in seconds. 0 means the default of the mount. */
  readonly ttl: number
  /** The maximum lifetime of the lease in seconds. 0 means the maximum of the mount. */
  readonly max_ttl: number
}

export const MAKE_DATABASE_USER = /* @__PURE__ */ effect({
  name: 'database-user',
  async perform(intent: DatabaseUserIntent, outside, carried: DatabaseUserInput) {
    const { username, db_name, expiration } = intent
    const { credential, creation_statements, rollback_statements } = carried
    await callDatabaseFromEffect(outside, db_name, async (connection, signal) => {
      validateUsernameLength(username, connection.longest_name)
      const statements = { statements: creation_statements, rollback_statements }
      await connection.createUser({ username, credential, expiration, ...statements }, signal)
    })
    return carried
  },
  finish(tx, { username, role, db_name, revocation_statements, expiration }, { shown, ttl, max_ttl }: DatabaseUserInput) {
    const data = { username, role, db_name, revocation_statements }
    const leased = tx.lease({ ttl, max_ttl, renewable: true, data, ends: expiration })
    return { username, ...shown, ...leased }
  },
  recover: {
    perform: ({ username, db_name, revocation_statements }, outside) =>
      callDatabaseFromEffect(outside, db_name, (connection, signal) =>
        connection.deleteUser({ username, statements: revocation_statements }, signal),
      ),
    finish: () => {},
  },
})
