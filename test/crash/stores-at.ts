/**
 * The stores on which a process is killed, and how often one of a configuration service is.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropPrefix, etcdHost, etcdMissing, freshPrefix } from '../fixtures/etcd/server.ts'
import { freshSchema, openPool, postgresqlMissing, postgresqlUrl } from '../fixtures/postgresql/server.ts'
import type { StoreAt } from '../fixtures/store-at.ts'

const SLOW = Boolean(process.env['SLOW'])

export const STORES_AT = [
  {
    name: 'LMDB',
    kills: SLOW ? 60 : 5,
    missing: undefined,
    make: async () => {
      const path = await mkdtemp(join(tmpdir(), 'strongroom-'))
      return { at: { kind: 'lmdb', path } as StoreAt, drop: () => rm(path, { recursive: true, force: true }) }
    },
  },
  {
    name: 'PostgreSQL',
    kills: SLOW ? 60 : 2,
    missing: postgresqlMissing,
    make: async () => {
      const schema = freshSchema()
      const drop = async () => {
        const pool = await openPool()
        await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
        await pool.end()
      }
      return { at: { kind: 'postgresql', url: await postgresqlUrl(), schema } as StoreAt, drop }
    },
  },
  {
    name: 'etcd',
    kills: SLOW ? 60 : 2,
    missing: etcdMissing,
    make: async () => {
      const [host, prefix] = [await etcdHost(), freshPrefix()]
      return { at: { kind: 'etcd', hosts: [host], prefix } as StoreAt, drop: () => dropPrefix(host, prefix) }
    },
  },
]
