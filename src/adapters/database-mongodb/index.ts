/** `strongroom/database/mongodb`: the database plugin for MongoDB. */
export { DatabaseError } from '../database/failure.ts'
export type { MongoClient, MongoDatabase, MongoModule } from './driver.ts'
export { type MongodbPluginOptions, mongodbPlugin } from './plugin.ts'
