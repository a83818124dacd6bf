/**
 * The database engine as a kernel is made of it.
 */
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

/** Users of databases. */
export interface Database extends DatabaseApi {
  /** The same methods for an engine of that type mounted elsewhere, such as `reporting/`. */
  at(path: string): Database
  /**
   * What to log in with, always good: users of a role, each renewed as long as that goes, or the user of a static role.
   * @example
   * const source = kernel.database.credentialSource({ role: 'app' })
   * const { username, password } = await source.current()
   */
  credentialSource(options: CredentialSourceOptions): CredentialSource
}

/** What kernels with the database engine show. */
export interface DatabaseFacades {
  /** Users of databases, at `database/`; `at(path)` for other mounts. */
  readonly database: Database
}

/** Dynamic and static users of databases: `kernel.database`, at `database/` in a fresh store. */
export const database = (): EngineValue<DatabaseFacades> =>
  engineValue<DatabaseFacades>({
    ...databaseOperations,
    events: DATABASE_EVENTS,
    ports: { databases: DATABASES },
    fresh: [{ path: 'database/', description: 'users of databases' }],
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
