import { readOptions } from '../../core/base/options.ts'
import type { DatabasePlugin } from '../../engines/database/port.ts'
import { assertUser, readDetails, redactSecrets, urlWarnings } from '../database/details.ts'
import { databaseFailure } from '../database/failure.ts'
import { untilAborted } from '../database/session.ts'
import { hasUserPlaceholder, maskPasswords } from '../database/url.ts'
import { MongoUsers } from './connection.ts'
import type { MongoModule } from './driver.ts'
import { mongoFailure } from './failures.ts'
import { parseMongoTarget } from './target.ts'

export interface MongodbPluginOptions {
  /** The package `mongodb`: `import * as mongodb from 'mongodb'`. */
  readonly mongodb: MongoModule
}

/**
 * Returns the database plugin for MongoDB 4.4 and later. The only credential type is `password`.
 *
 * Details: `connection_url` (`mongodb://` or `mongodb+srv://`, with the options of the driver), `max_open_connections` (default 4),
 * `max_connection_lifetime` (maximum idle time of a connection; default no limit), `tls_ca`, `tls_certificate_key` (PEM).
 *
 * The creation statement is one JSON object: `{"db": "admin", "roles": ["readWriteAnyDatabase", {"role": "read", "db": "app"}]}`. A
 * statement for changing a password or dropping a user has the form `{"db": "app"}` and names the database of the user. Without such a
 * statement, passwords are changed in the database of the URL (`authSource`, the path, or `admin`), and users are dropped in every database
 * that has them.
 * @throws TypeError if `mongodb` is not the package.
 */
export function mongodbPlugin(options: MongodbPluginOptions): DatabasePlugin {
  const { mongodb } = readOptions('mongodbPlugin', options, { mongodb: 1 })
  if (typeof mongodb?.MongoClient !== 'function') throw new TypeError('mongodbPlugin: mongodb must be the package mongodb')
  return {
    credential_types: ['password'],
    username_template:
      '{{ printf "v-%s-%s-%s-%s" (.DisplayName | truncate 15) (.RoleName | truncate 15) (random 20) (unix_time) | replace "." "-" | truncate 100 }}',
    configure(details) {
      const common = readDetails(details)
      // A connection may be stored without a user. The driver refuses a URL with an empty user, so check the URL with the user `none`.
      parseMongoTarget(mongodb, { ...common, username: common.username || 'none' }, details)
      return details
    },
    shown: (details) => redactSecrets(details, maskPasswords),
    warnings: (details) => urlWarnings(details, maskPasswords),
    async connect(details, signal) {
      const common = readDetails(details)
      if (hasUserPlaceholder(common.connectionUrl)) assertUser(common.username)
      const target = parseMongoTarget(mongodb, common, details)
      if (signal.aborted) throw databaseFailure('timeout')
      // Fail immediately if a member sends too much. The driver would reconnect until its own timeout.
      let refuse = (_: Error): void => {}
      const excess = new Promise<never>((_, reject) => {
        refuse = reject
      })
      excess.catch(() => undefined)
      const client = target.client(refuse)
      const logIn = async (): Promise<void> => {
        await client.connect()
        await client.db(target.database).command({ ping: 1 }, { signal })
      }
      try {
        await untilAborted(
          signal,
          () => void client.close(true).catch(() => undefined),
          () => Promise.race([logIn(), excess]),
        )
        return new MongoUsers(client, target.database)
      } catch (error) {
        void client.close(true).catch(() => undefined)
        throw mongoFailure(error)
      }
    },
  }
}
