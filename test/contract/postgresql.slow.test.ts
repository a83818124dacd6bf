/** The conformance suite for storages on a real PostgreSQL, without notifications. */
import { deafPool } from '../fixtures/postgresql/deaf-pool.ts'
import { postgresqlConformance } from './on-postgresql.ts'

postgresqlConformance('postgresql that refuses LISTEN', (pool) => deafPool(pool, 'refuses'))
postgresqlConformance('postgresql that takes LISTEN and does nothing', (pool) => deafPool(pool, 'pretends'))
