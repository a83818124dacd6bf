/** `strongroom/database/postgresql`: the database plugin for PostgreSQL, and a connection pool. */
export { DatabaseError } from '../database/failure.ts'
export type { PgClient, PgModule } from './driver.ts'
export { type PostgresqlPluginOptions, postgresqlPlugin } from './plugin.ts'
export { type PgPoolModule, type PostgresqlPoolOptions, postgresqlPool } from './pool.ts'
