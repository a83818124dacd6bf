/**
 * The stores that processes share here, and how they are sealed.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { keySeal, type Seal } from '../../src/index.ts'
import { dropPrefix, etcdHost, freshPrefix } from '../fixtures/etcd/server.ts'
import { type OpenStore, openStoreAt, type StoreAt } from '../fixtures/store-at.ts'

export const SEAL: Seal = keySeal(new Uint8Array(32).fill(5))

export const openStorage = (at: StoreAt): OpenStore => openStoreAt(at, { shared: true })

export interface Place {
  readonly where: StoreAt
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

export async function etcdPlace(): Promise<Place> {
  const [host, prefix] = [await etcdHost(), freshPrefix()]
  return { where: { kind: 'etcd', hosts: [host], prefix }, remove: () => dropPrefix(host, prefix) }
}
