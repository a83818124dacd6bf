import * as mongodb from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { mongodbPlugin } from '../../../src/adapters/database-mongodb/index.ts'
import { databasePluginConformance } from '../../../src/testing/index.ts'
import { mongoMissing, startMongo } from '../../fixtures/servers/mongo.ts'
import { SERVER_START_MS } from '../../fixtures/servers/once.ts'
import type { DatabaseServer } from '../../fixtures/servers/server.ts'

const why = mongoMissing

describe.skipIf(why !== undefined)(why ? `MongoDB (${why})` : 'MongoDB', () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startMongo()
  }, SERVER_START_MS)
  afterAll(() => server?.stop())

  databasePluginConformance({
    name: 'mongodb',
    plugin: mongodbPlugin({ mongodb }),
    details: () => ({ connection_url: server.url, username: server.username, password: server.password }),
    login: (username, password) => server.login(username, password),
    creation_statements: ['{"db": "admin", "roles": [{"role": "readWrite", "db": "app"}]}'],
    failing_statements: ['{"roles": ["noSuchRole"]}'],
    test,
  })
})
