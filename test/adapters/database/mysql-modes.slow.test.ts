/** SQL modes apply to a whole MariaDB server, so the test starts its own server. */
import mysql2 from 'mysql2/promise'
import { describe, expect, it } from 'vitest'
import { mysqlPlugin } from '../../../src/adapters/database-mysql/index.ts'
import { mariaDbMissing, startOwnMariaDb } from '../../fixtures/servers/mariadb.ts'

const why = mariaDbMissing
const plugin = mysqlPlugin({ mysql2 })
const signal = () => AbortSignal.timeout(60_000)

describe.skipIf(why !== undefined)(why ? `statements of MariaDB (${why})` : 'statements of MariaDB', () => {
  it('are parsed with backslash escapes and double-quoted strings in every SQL mode of the server', async () => {
    const server = await startOwnMariaDb()
    const { host, port } = server
    const details = { connection_url: server.url, username: server.username, password: server.password }
    const root = await mysql2.createConnection({ host, port, user: server.username, password: server.password })
    await root.query(`SET GLOBAL sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES,STRICT_TRANS_TABLES'`)
    const otherConnection = await plugin.connect(details, signal())
    const password = `a\\'"b\\`
    const odd = {
      username: 'modes',
      statements: [`CREATE USER "{{name}}"@'%' IDENTIFIED BY "{{password}}"; SELECT 'it\\'s; so'`],
      rollback_statements: [],
      expiration: Date.now() + 3_600_000,
      credential: { type: 'password', password } as const,
    }
    await otherConnection.createUser(odd, signal())
    expect(await server.login('modes', password)).toBe(true)
    await otherConnection.deleteUser({ username: 'modes', statements: [] }, signal())
    await otherConnection.close()
    await root.query('SET GLOBAL sql_mode = DEFAULT')
    await root.end()
    await server.stop()
  })
})
