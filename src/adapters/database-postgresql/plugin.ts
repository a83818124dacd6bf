import { readOptions } from '../../core/base/options.ts'
import type { ConnectionDetails, DatabasePlugin } from '../../engines/database/port.ts'
import { assertUser, type CommonDetails, readDetails, redactSecrets, textDetail, urlWarnings } from '../database/details.ts'
import { invalidFailure } from '../database/failure.ts'
import { SessionPool } from '../database/session-pool.ts'
import { maskPasswords } from '../database/url.ts'
import { PgUsers } from './connection.ts'
import type { PgModule } from './driver.ts'
import { openPgSession } from './session.ts'
import { type PgTarget, parsePgTarget } from './target.ts'

export interface PostgresqlPluginOptions {
  /** The package `pg`: `import pg from 'pg'`. */
  readonly pg: PgModule
}

interface ParsedDetails {
  readonly common: CommonDetails
  readonly target: PgTarget
  readonly scram: boolean
}

function parseDetails(details: ConnectionDetails): ParsedDetails {
  const common = readDetails(details)
  const authentication = textDetail(details, 'password_authentication') || 'password'
  if (authentication !== 'password' && authentication !== 'scram-sha-256')
    throw invalidFailure('password_authentication: must be password or scram-sha-256')
  return { common, target: parsePgTarget(common, details), scram: authentication === 'scram-sha-256' }
}

/**
 * Returns the database plugin for PostgreSQL 13 and later. The only credential type is `password`.
 *
 * Details: `connection_url` (a URL; `{{username}}` and `{{password}}` in it are replaced by `username` and `password`, percent-encoded
 * unless `disable_escaping` is set), `max_open_connections` (default 4), `max_idle_connections` (default `max_open_connections`),
 * `max_connection_lifetime` (default no limit), `password_authentication` (`password`, or `scram-sha-256` to send only verifiers to the
 * server), `tls_ca`, `tls_certificate`, `private_key` (PEM).
 *
 * The statements of one call run in one transaction. The default revocation revokes the privileges that were granted to the role in the
 * database of the connection, ends the role's sessions if the connection's user may do so, and drops the role.
 *
 * A role that owns objects cannot be dropped. The call then fails with the reason `statement`, but the role loses its login, sessions and
 * privileges. If custom revocation statements fail, the role loses its login and sessions.
 * @throws TypeError if `pg` is not the package.
 */
export function postgresqlPlugin(options: PostgresqlPluginOptions): DatabasePlugin {
  const { pg } = readOptions('postgresqlPlugin', options, { pg: 1 })
  if (typeof pg?.Client !== 'function') throw new TypeError('postgresqlPlugin: pg must be the package pg')
  return {
    credential_types: ['password'],
    username_template:
      '{{ printf "v-%s-%s-%s-%s" (.DisplayName | truncate 8) (.RoleName | truncate 8) (random 20) (unix_time) | truncate 63 }}',
    configure(details) {
      parseDetails(details)
      return details
    },
    shown: (details) => redactSecrets(details, maskPasswords),
    warnings: (details) => urlWarnings(details, maskPasswords),
    async connect(details, signal) {
      const { common, target, scram } = parseDetails(details)
      assertUser(target.user)
      const pool = new SessionPool((stop) => openPgSession(pg, target, stop), common.limits)
      try {
        await pool.use(signal, async () => undefined)
      } catch (error) {
        await pool.close()
        throw error
      }
      return new PgUsers(pool, scram)
    },
  }
}
