/** The conformance suite for storages on a real PostgreSQL, with notifications. */
import { postgresqlConformance } from './on-postgresql.ts'

postgresqlConformance('postgresql', (pool) => pool)
