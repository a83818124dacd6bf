/**
 * A store that several processes open, told in a form that goes from one to the other.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { lmdbStorage } from '../../src/adapters/storage-lmdb/index.ts'
import { postgresqlStorage } from '../../src/adapters/storage-postgresql/index.ts'
import { keySeal, type Seal, type Storage } from '../../src/index.ts'

export type Where =
  | { readonly kind: 'lmdb'; readonly path: string }
  | { readonly kind: 'postgresql'; readonly url: string; readonly schema: string }

export interface Opened {
  readonly storage: Storage
  close(): Promise<void>
}

export const SEAL: Seal = keySeal(new Uint8Array(32).fill(5))

export function openStorage(where: Where): Opened {
  if (where.kind === 'lmdb') {
    const storage = lmdbStorage({ path: where.path, shared: true })
    return { storage, close: () => storage.close() }
  }
  const pool = new Pool({ connectionString: where.url, max: 5 })
  const storage = postgresqlStorage({ pool, schema: where.schema })
  const close = async () => {
    await storage.close()
    await pool.end()
  }
  return { storage, close }
}

export interface Place {
  readonly where: Where
  remove(): Promise<void>
}

export async function lmdbPlace(): Promise<Place> {
  const path = await mkdtemp(join(tmpdir(), 'strongroom-'))
  return { where: { kind: 'lmdb', path }, remove: () => rm(path, { recursive: true, force: true }) }
}

export async function postgresqlPlace(url: string, schema: string): Promise<Place> {
  const remove = async () => {
    const pool = new Pool({ connectionString: url, max: 1 })
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await pool.end()
  }
  return { where: { kind: 'postgresql', url, schema }, remove }
}
