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
   * Returns a source that always has a valid login: users of a dynamic role, whose leases it renews and replaces, or the user of a static role.
   * @example
   * const source = kernel.database.credentialSource({ role: 'app' })
   * const { username, password } = await source.current()
   */
  credentialSource(options: CredentialSourceOptions): CredentialSource
}

/** The facades of a kernel with the database engine. */
export interface DatabaseFacades {
  /** The database engine at `database/`; `at(path)` for other mounts. */
  readonly database: Database
}

/** Dynamic and static users of databases: `kernel.database`, at `database/` in a fresh store. */
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
