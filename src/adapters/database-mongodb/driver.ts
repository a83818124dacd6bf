/**
 * What is used of the package `mongodb`, told structurally: nothing is imported from it.
 */

export interface MongoDatabase {
  /** @param options With a `signal`, which the types of older drivers do not know. */
  command(command: object, options: object): Promise<unknown>
}

export interface MongoClient {
  connect(): Promise<unknown>
  db(name: string): MongoDatabase
  close(force?: boolean): Promise<void>
}

/** The module. */
export interface MongoModule {
  readonly MongoClient: new (url: string, options: object) => MongoClient
}
