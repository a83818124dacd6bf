/**
 * A store that outlives the processes that work on it, named so that each of them can open it.
 */
import { Pool } from 'pg'
import { lmdbStorage } from '../../src/adapters/storage-lmdb/index.ts'
import { postgresqlStorage } from '../../src/adapters/storage-postgresql/index.ts'
import type { Storage } from '../../src/index.ts'

export type StoreAt =
  | { readonly kind: 'lmdb'; readonly path: string }
  | { readonly kind: 'postgresql'; readonly url: string; readonly schema: string }

export interface OpenStore {
  readonly storage: Storage
  /** What other processes had begun on it and the store still works on; resolves when there is nothing of that. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** @param called What the processes that are killed are called, by which a server tells whether it still works for them. */
export function openStore(at: StoreAt, called: string): OpenStore {
  if (at.kind === 'lmdb') {
    const storage = lmdbStorage({ path: at.path })
    return { storage, idle: async () => {}, close: () => storage.close() }
  }
  const pool = new Pool({ connectionString: at.url, max: 5, application_name: called })
  const storage = postgresqlStorage({ pool, schema: at.schema })
  return {
    storage,
    async idle() {
      for (;;) {
        const { rowCount } = await pool.query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', [WORKER])
        if (rowCount === 0) return
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    async close() {
      await storage.close()
      await pool.end()
    },
  }
}

export const WORKER = 'strongroom crash worker'
