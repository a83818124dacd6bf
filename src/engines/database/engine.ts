/**
 * The database engine as a kernel is made of it.
 */
import './events.ts'
import { type EngineValue, engineValue, type Mounted } from '../../core/contract/engine.ts'
import { database as databaseOperations } from './index.ts'
import { DATABASES } from './port.ts'

/** Users of databases. */
export type Database = Mounted<typeof databaseOperations.operations>

/** Dynamic and static users of databases: `kernel.database`, at `database/` in a fresh store. */
export const database = (): EngineValue<{ database: Database }> =>
  engineValue<{ database: Database }>({
    ...databaseOperations,
    ports: { databases: DATABASES },
    fresh: [{ path: 'database/', description: 'users of databases' }],
    facades: { database: { path: 'database/', operations: databaseOperations.operations } },
  })
