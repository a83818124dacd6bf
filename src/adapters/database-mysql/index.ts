/** `strongroom/database/mysql`: the database plugin for MySQL and MariaDB, and a connection pool. */
export { DatabaseError } from '../database/failure.ts'
export type { MysqlConnection, MysqlModule } from './driver.ts'
export { type MysqlPluginOptions, mysqlPlugin } from './plugin.ts'
export { type MysqlPoolModule, type MysqlPoolOptions, mysqlPool } from './pool.ts'
