import { readOptions } from '../../core/base/options.ts'
import type { DatabasePlugin } from '../../engines/database/port.ts'
import { assertUser, readDetails, redactSecrets, urlWarnings } from '../database/details.ts'
import { SessionPool } from '../database/session-pool.ts'
import { MysqlUsers } from './connection.ts'
import type { MysqlModule } from './driver.ts'
import { openMysqlSession } from './session.ts'
import { maskMysqlUrl, parseMysqlTarget } from './target.ts'

export interface MysqlPluginOptions {
  /** The promise API of the package `mysql2`: `import mysql2 from 'mysql2/promise'`. */
  readonly mysql2: MysqlModule
}

/**
 * Returns the database plugin for MySQL 5.7 and later and MariaDB 10.4 and later. The only credential type is `password`.
 *
 * Details: `connection_url` (a URL `mysql://…`, or `{{username}}:{{password}}@tcp(host:3306)/`; hosts separated by commas are tried in
 * order; it may have the parameter `tls`), `max_open_connections` (default 4), `max_idle_connections` (default `max_open_connections`),
 * `max_connection_lifetime` (default no limit), `tls_ca`, `tls_certificate_key` (PEM), `tls_server_name`, `tls_skip_verify`.
 *
 * Statements about users commit implicitly in MySQL. If a creation fails halfway, the rollback statements undo it; by default they drop the
 * user at the host `%`. Sessions run without the SQL modes ANSI_QUOTES and NO_BACKSLASH_ESCAPES.
 * @throws TypeError if `mysql2` is not the package.
 */
export function mysqlPlugin(options: MysqlPluginOptions): DatabasePlugin {
  const { mysql2 } = readOptions('mysqlPlugin', options, { mysql2: 1 })
  if (typeof mysql2?.createConnection !== 'function')
    throw new TypeError('mysqlPlugin: mysql2 must be the package mysql2/promise')
  return {
    credential_types: ['password'],
    username_template:
      '{{ printf "v-%s-%s-%s-%s" (.DisplayName | truncate 10) (.RoleName | truncate 10) (random 20) (unix_time) | truncate 32 }}',
    configure(details) {
      parseMysqlTarget(readDetails(details), details)
      return details
    },
    shown: (details) => redactSecrets(details, maskMysqlUrl),
    warnings: (details) => urlWarnings(details, maskMysqlUrl),
    async connect(details, signal) {
      const common = readDetails(details)
      const target = parseMysqlTarget(common, details)
      assertUser(target.user)
      const pool = new SessionPool((stop) => openMysqlSession(mysql2, target, stop), common.limits)
      try {
        const version = await pool.use(signal, async (session) => session.version)
        return new MysqlUsers(pool, version)
      } catch (error) {
        await pool.close()
        throw error
      }
    },
  }
}
