export type {} from './events.ts'
export type {} from './port.ts'

import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { DatabaseApi } from './api.ts'
import {
  type CredentialOperations,
  type CredentialSource,
  type CredentialSourceOptions,
  credentialSource,
} from './credential-source.ts'
import { DATABASE_EVENTS } from './events.ts'
import { database as databaseOperations } from './index.ts'
import { DATABASES } from './port.ts'

/** The methods of the database engine. */
export interface Database extends DatabaseApi {
  /** Returns the methods for a database engine at another mount path, such as `reporting/`. */
  at(path: string): Database
  /**
   * Returns a source that supplies a valid login at any time. For a dynamic role, the source creates users, renews their leases, and
   * replaces them. For a static role, it returns the current password of the existing user.
   * @example const source = kernel.database.credentialSource({ role: 'app' }) const { username, password } = await source.current()
   */
  credentialSource(options: CredentialSourceOptions): CredentialSource
}

/** The facades of a kernel with the database engine. */
export interface DatabaseFacades {
  /** The database engine at the mount `database/`. `at(path)` returns the methods for another mount. */
  readonly database: Database
}

/**
 * The database engine: creates short-lived database users, and rotates the passwords of existing ones. It adds `kernel.database`, and a new
 * store has a mount of it at `database/`.
 */
export const database = (): EngineValue<DatabaseFacades> =>
  engineValue<DatabaseFacades>({
    ...databaseOperations,
    events: DATABASE_EVENTS,
    ports: { databases: DATABASES },
    fresh: [{ path: 'database/', description: 'database users and their credentials' }],
    facades: {
      database: {
        path: 'database/',
        operations: databaseOperations.operations,
        methods: (view: CredentialOperations, parts) => ({
          credentialSource: (options: CredentialSourceOptions) => credentialSource(view, parts, options),
        }),
      },
    },
  })
