/** PostgreSQL holds to the contract of database plugins. */
import pg from 'pg'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { postgresqlPlugin } from '../../../src/adapters/database-postgresql/index.ts'
import { databasePluginConformance } from '../../../src/testing/index.ts'
import { passwordPostgresMissing, startPasswordPostgres } from '../../fixtures/servers/postgres.ts'
import type { DatabaseServer } from '../../fixtures/servers/server.ts'

const why = passwordPostgresMissing
const CREATE = `CREATE ROLE "{{name}}" WITH LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}'; GRANT CONNECT ON DATABASE postgres TO "{{name}}"`

describe.skipIf(why !== undefined)(why ? `PostgreSQL (${why})` : 'PostgreSQL', () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startPasswordPostgres()
  })
  afterAll(() => server?.stop())

  for (const password_authentication of ['password', 'scram-sha-256'])
    databasePluginConformance({
      name: `postgresql, ${password_authentication}`,
      plugin: postgresqlPlugin({ pg }),
      details: () => ({
        connection_url: server.url,
        username: server.username,
        password: server.password,
        password_authentication,
      }),
      login: (username, password) => server.login(username, password),
      creation_statements: [CREATE],
      failing_statements: [CREATE, 'GRANT SELECT ON no_such_table TO "{{name}}"'],
      test,
    })
})
