/** The conformance suite for storages on a real PostgreSQL. */
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type PgPool, postgresqlStorage } from '../../src/adapters/storage-postgresql/index.ts'
import type { Storage } from '../../src/index.ts'
import { storageConformance } from '../../src/testing/index.ts'
import { freshSchema, openPool, postgresqlMissing } from '../fixtures/postgresql/server.ts'
import { SERVER_START_MS } from '../fixtures/servers/once.ts'

/** Registers the cases of the suite. `wrap` creates the pool for a storage from a real pool. */
export function postgresqlConformance(name: string, wrap: (pool: Pool) => PgPool): void {
  const title = `storages on PostgreSQL${postgresqlMissing ? ` (${postgresqlMissing})` : ''}`
  describe.skipIf(postgresqlMissing !== undefined)(title, () => {
    let shared: Pool
    beforeAll(async () => {
      shared = await openPool({ max: 6 })
    }, SERVER_START_MS)
    afterAll(() => shared?.end())
    const schemas = new WeakMap<Storage, string>()
    const openIn = async (schema: string): Promise<Storage> => {
      const storage = postgresqlStorage({ pool: wrap(shared), schema, pollMs: 5 })
      schemas.set(storage, schema)
      return storage
    }
    storageConformance({
      name,
      open: () => openIn(freshSchema()),
      reopen: (closed) => openIn(schemas.get(closed)!),
      another: (open) => openIn(schemas.get(open)!),
      async begin() {
        const client = await shared.connect()
        await client.query('BEGIN')
        const end = async (how: 'COMMIT' | 'ROLLBACK'): Promise<boolean> => {
          await client.query(how)
          client.release()
          return true
        }
        return { transaction: client, commit: () => end('COMMIT'), rollback: async () => void (await end('ROLLBACK')) }
      },
      test,
    })
  })
}
