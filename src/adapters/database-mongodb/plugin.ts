/**
 * MongoDB as a database of the database engine.
 */
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
 * Users of MongoDB 4.4 and later, by password.
 *
 * Details: `connection_url` (`mongodb://` or `mongodb+srv://`; its options are the driver's), `max_open_connections` (4),
 * `max_connection_lifetime` (how long one may lie idle; none), `tls_ca`, `tls_certificate_key` (PEM).
 *
 * A creation statement is one JSON object: `{"db": "admin", "roles": ["readWriteAnyDatabase", {"role": "read", "db": "app"}]}`. Passwords are
 * changed in the database of the URL (`authSource`, its path, or `admin`) unless a statement `{"db": …}` says another; users are dropped where
 * they are found, or where such a statement says.
 * @throws TypeError where `mongodb` is not the package.
 */
export function mongodbPlugin(options: MongodbPluginOptions): DatabasePlugin {
  const { mongodb } = readOptions('mongodbPlugin', options, { mongodb: 1 })
  if (typeof mongodb?.MongoClient !== 'function') throw new TypeError('mongodbPlugin: mongodb has to be the package mongodb')
  return {
    credential_types: ['password'],
    username_template:
      '{{ printf "v-%s-%s-%s-%s" (.DisplayName | truncate 15) (.RoleName | truncate 15) (random 20) (unix_time) | replace "." "-" | truncate 100 }}',
    configure(details) {
      const common = readDetails(details)
      // The driver refuses a URL whose user is empty, and a connection may be stored without one.
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
      // The driver would connect again and again until its own time is over.
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
