export type {} from '../credentials/events.ts'
export type {} from './events.ts'
export type {} from './port.ts'

import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { CredentialSource, CredentialSourceOptions } from './credential-source.ts'
import type { DatabaseApi } from './generated/api.ts'
import { database as databaseOperations } from './index.ts'
import { DATABASE_MANIFEST } from './manifest.ts'

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
    events: DATABASE_MANIFEST.events,
    ports: DATABASE_MANIFEST.ports,
    fresh: DATABASE_MANIFEST.fresh,
    facades: { database: { ...DATABASE_MANIFEST.facades.database, operations: databaseOperations.operations } },
  })
