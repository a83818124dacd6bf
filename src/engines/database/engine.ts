/**
 * The database engine as a kernel is made of it.
 */
export type {} from './events.ts'

import type { Api } from '../../core/contract/api.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import { type CredentialSource, type CredentialSourceOptions, credentialSource, type Giving } from './credential-source.ts'
import { database as databaseOperations } from './index.ts'
import { DATABASES } from './port.ts'

/** Users of databases. */
export interface Database extends Api<typeof databaseOperations.operations> {
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

/** Dynamic and static users of databases: `kernel.database`, at `database/` in a fresh store. */
export const database = (): EngineValue<{ database: Database }> =>
  engineValue<{ database: Database }>({
    ...databaseOperations,
    ports: { databases: DATABASES },
    fresh: [{ path: 'database/', description: 'users of databases' }],
    facades: {
      database: {
        path: 'database/',
        operations: databaseOperations.operations,
        methods: (view: Giving, parts) => ({
          credentialSource: (options: CredentialSourceOptions) => credentialSource(view, parts, options),
        }),
      },
    },
  })
