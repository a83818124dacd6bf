/** The contract of storages on a real PostgreSQL, with notifications and without. */
import type { Pool } from 'pg'
import { afterAll, describe, test } from 'vitest'
import { type PgPool, postgresqlStorage } from '../../src/adapters/storage-postgresql/index.ts'
import type { Storage } from '../../src/index.ts'
import { storageConformance } from '../../src/testing/index.ts'
import { deafPool } from '../fixtures/postgresql/deaf-pool.ts'
import { freshSchema, openPool, postgresqlMissing } from '../fixtures/postgresql/server.ts'

const pools = new Map<string, Promise<Pool>>()
afterAll(async () => {
  for (const pool of pools.values()) await (await pool).end()
})

const KINDS: Readonly<Record<string, (pool: Pool) => PgPool>> = {
  postgresql: (pool) => pool,
  'postgresql that refuses LISTEN': (pool) => deafPool(pool, 'refuses'),
  'postgresql that takes LISTEN and does nothing': (pool) => deafPool(pool, 'pretends'),
}

describe.skipIf(postgresqlMissing !== undefined)(
  `storages on PostgreSQL${postgresqlMissing ? ` (${postgresqlMissing})` : ''}`,
  () => {
    for (const [name, wrap] of Object.entries(KINDS)) {
      const schemas = new WeakMap<Storage, string>()
      const openIn = async (schema: string): Promise<Storage> => {
        const shared = pools.get(name) ?? openPool({ max: 6 })
        pools.set(name, shared)
        const storage = postgresqlStorage({ pool: wrap(await shared), schema, pollMs: 5 })
        schemas.set(storage, schema)
        return storage
      }
      storageConformance({
        name,
        open: () => openIn(freshSchema()),
        reopen: (closed) => openIn(schemas.get(closed)!),
        another: (open) => openIn(schemas.get(open)!),
        async begin() {
          const client = await (await pools.get(name)!).connect()
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
    }
  },
)
