/**
 * `strongroom/storage/postgresql`: the shared storage.
 */
export type { PgPool, PgPoolClient, PgQueryable } from './driver.ts'
export type { PostgresqlStorageOptions } from './options.ts'
export { postgresqlStorage } from './storage.ts'
