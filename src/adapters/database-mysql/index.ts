/**
 * `strongroom/database/mysql`: users of MySQL and MariaDB.
 */
export { DatabaseError } from '../database/failure.ts'
export type { MysqlConnection, MysqlModule } from './driver.ts'
export { type MysqlPluginOptions, mysqlPlugin } from './plugin.ts'
