/**
 * PostgreSQL as a database of the database engine.
 */
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
    throw invalidFailure('password_authentication is password or scram-sha-256')
  return { common, target: parsePgTarget(common, details), scram: authentication === 'scram-sha-256' }
}

/**
 * Users of PostgreSQL 13 and later, by password.
 *
 * Details: `connection_url` (a URL; `{{username}}` and `{{password}}` stand for `username` and `password`, percent-encoded unless
 * `disable_escaping`), `max_open_connections` (4), `max_idle_connections` (as many), `max_connection_lifetime` (none),
 * `password_authentication` (`password`, or `scram-sha-256`: the server is sent verifiers), `tls_ca`, `tls_certificate`, `private_key` (PEM).
 *
 * The statements of one call are one transaction. The default revocation takes away what the role itself holds in the database of the
 * connection, ends its sessions if it may, and drops it. A role that owns something cannot be dropped (`statement`): it loses its login, its
 * sessions and its privileges all the same. Revocation statements of your own that are refused leave a role without login and sessions.
 * @throws TypeError where `pg` is not the package.
 */
export function postgresqlPlugin(options: PostgresqlPluginOptions): DatabasePlugin {
  const { pg } = readOptions('postgresqlPlugin', options, { pg: 1 })
  if (typeof pg?.Client !== 'function') throw new TypeError('postgresqlPlugin: pg has to be the package pg')
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
