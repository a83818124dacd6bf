/** A server that stops answering in the middle of a connection: calls end at their signal, and succeed again after the server resumes. */
import * as mongodb from 'mongodb'
import mysql2 from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { mongodbPlugin } from '../../../src/adapters/database-mongodb/index.ts'
import { mysqlPlugin } from '../../../src/adapters/database-mysql/index.ts'
import { postgresqlPlugin } from '../../../src/adapters/database-postgresql/index.ts'
import { startFreezingProxy } from '../../fixtures/servers/freezing-proxy.ts'
import { mariaDbMissing, startMariaDb } from '../../fixtures/servers/mariadb.ts'
import { mongoMissing, startMongo } from '../../fixtures/servers/mongo.ts'
import { SERVER_START_MS } from '../../fixtures/servers/once.ts'
import { passwordPostgresMissing, sharedPasswordPostgres } from '../../fixtures/servers/postgres.ts'
import type { DatabaseServer } from '../../fixtures/servers/server.ts'

const SERVERS = [
  {
    name: 'PostgreSQL',
    why: passwordPostgresMissing,
    start: sharedPasswordPostgres,
    plugin: postgresqlPlugin({ pg }),
    statements: [`CREATE ROLE "{{name}}" LOGIN PASSWORD '{{password}}'`],
  },
  {
    name: 'MariaDB',
    why: mariaDbMissing,
    start: startMariaDb,
    plugin: mysqlPlugin({ mysql2 }),
    statements: [`CREATE USER '{{name}}'@'%' IDENTIFIED BY '{{password}}'`],
  },
  {
    name: 'MongoDB',
    why: mongoMissing,
    start: startMongo,
    plugin: mongodbPlugin({ mongodb }),
    statements: ['{"roles": [{"role": "read", "db": "app"}]}'],
  },
]

for (const { name, why, start, plugin, statements } of SERVERS)
  describe.skipIf(why !== undefined)(why ? `${name} (${why})` : name, () => {
    let server: DatabaseServer
    beforeAll(async () => {
      server = await start()
    }, SERVER_START_MS)
    afterAll(() => server?.stop())

    it('calls to a frozen server time out, and calls succeed after the server resumes', async () => {
      const proxy = await startFreezingProxy(server.host, server.port)
      const details = {
        connection_url: server.url.replace(`:${server.port}`, `:${proxy.port}`),
        username: server.username,
        password: server.password,
        max_open_connections: 2,
      }
      const connection = await plugin.connect(details, AbortSignal.timeout(60_000))
      const user = (username: string) => ({
        username,
        credential: { type: 'password', password: 'secret-word' } as const,
        statements,
        rollback_statements: [],
        expiration: Date.now() + 3_600_000,
      })
      await connection.createUser(user('before'), AbortSignal.timeout(60_000))

      proxy.freeze()
      // More calls than connections, so that some of them wait in the queue.
      const calls = Array.from({ length: 5 }, (_, i) => connection.createUser(user(`frozen-${i}`), AbortSignal.timeout(400)))
      for (const result of await Promise.allSettled(calls)) {
        expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'timeout' } })
        expect((result as PromiseRejectedResult).reason.message).not.toContain('secret-word')
      }

      proxy.thaw()
      // A driver may have closed its connections to the server; it reconnects by itself.
      const drop = () => connection.deleteUser({ username: 'before', statements: [] }, AbortSignal.timeout(60_000))
      await vi.waitFor(drop, { timeout: 60_000, interval: 50 })
      expect(await server.login('before', 'secret-word')).toBe(false)

      proxy.freeze()
      await connection.close()
      await expect.poll(() => proxy.open, { timeout: 60_000 }).toBe(0)
      await proxy.stop()
    })
  })
