/** Runs against MongoDB or a compatible server. */
import * as mongodb from 'mongodb'
import { expect, it } from 'vitest'
import { mongodbPlugin } from '../../../src/adapters/database-mongodb/index.ts'
import { mongoMissing, startMongo } from '../../fixtures/servers/mongo.ts'
import type { DatabaseServer } from '../../fixtures/servers/server.ts'
import { databaseLife } from './life.ts'

async function as<T>(
  { host, port }: DatabaseServer,
  { username, password }: { readonly username: string; readonly password: string },
  work: (client: mongodb.MongoClient) => Promise<T>,
): Promise<T> {
  const userinfo = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`
  const client = new mongodb.MongoClient(`mongodb://${userinfo}@${host}:${port}/admin`, { serverSelectionTimeoutMS: 5000 })
  try {
    return await work(await client.connect())
  } finally {
    await client.close()
  }
}

databaseLife({
  name: 'MongoDB',
  missing: mongoMissing,
  start: startMongo,
  plugin: mongodbPlugin({ mongodb }),
  creation_statements: ['{"db": "admin", "roles": [{"role": "read", "db": "app"}]}'],
  administrator: ['{"db": "admin", "roles": ["root"]}'],
  failing_statements: ['{"roles": ["noSuchRole"]}'],
  drop: (server, username) => as(server, server, (client) => client.db('admin').command({ dropUser: username })),
  more(world) {
    it('creates users with exactly the configured roles', async () => {
      const { server, kernel } = world()
      const { username, password = '', lease_id } = await kernel.database.creds({ name: 'app' })
      await as(server, { username, password }, async (client) => {
        await client.db('app').collection('things').findOne({})
        await expect(client.db('app').collection('things').insertOne({ a: 1 })).rejects.toMatchObject({ code: 13 })
        await expect(client.db('admin').command({ createUser: 'more', pwd: 'p', roles: [] })).rejects.toMatchObject({ code: 13 })
      })
      await kernel.leases.revokeLease({ lease_id, sync: true })
    })
  },
})
