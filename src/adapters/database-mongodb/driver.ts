/** The parts of the package `mongodb` that are used here, as structural types, so that nothing is imported from it. */

export interface MongoDatabase {
  /** @param options May have a `signal`, which the types of older drivers lack. */
  command(command: object, options: object): Promise<unknown>
}

export interface MongoClient {
  connect(): Promise<unknown>
  db(name: string): MongoDatabase
  close(force?: boolean): Promise<void>
}

/** The module `mongodb`. */
export interface MongoModule {
  readonly MongoClient: new (url: string, options: object) => MongoClient
}
