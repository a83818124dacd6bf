import mysql2 from 'mysql2/promise'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { mysqlPlugin } from '../../../src/adapters/database-mysql/index.ts'
import { databasePluginConformance } from '../../../src/testing/index.ts'
import { mariaDbMissing, startMariaDb } from '../../fixtures/servers/mariadb.ts'
import { SERVER_START_MS } from '../../fixtures/servers/once.ts'
import type { DatabaseServer } from '../../fixtures/servers/server.ts'

const why = mariaDbMissing
const CREATE = `CREATE USER '{{name}}'@'%' IDENTIFIED BY '{{password}}'; GRANT SELECT ON mysql.* TO '{{name}}'@'%'`

describe.skipIf(why !== undefined)(why ? `MariaDB (${why})` : 'MariaDB', () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startMariaDb()
  }, SERVER_START_MS)
  afterAll(() => server?.stop())

  for (const form of ['driver', 'url'])
    databasePluginConformance({
      name: `mysql, ${form} form`,
      plugin: mysqlPlugin({ mysql2 }),
      details: () => ({
        connection_url: form === 'url' ? `mysql://{{username}}:{{password}}@${server.host}:${server.port}/` : server.url,
        username: server.username,
        password: server.password,
      }),
      login: (username, password) => server.login(username, password),
      creation_statements: [CREATE],
      failing_statements: [CREATE, `GRANT SELECT ON no_such.no_such_table TO 'nobody at all'@'%'`],
      test,
    })
})
