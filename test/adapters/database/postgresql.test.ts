import pg from 'pg'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { postgresqlPlugin } from '../../../src/adapters/database-postgresql/index.ts'
import { databasePluginConformance } from '../../../src/testing/index.ts'
import { SERVER_START_MS } from '../../fixtures/servers/once.ts'
import { type PasswordPostgres, passwordPostgresMissing, sharedPasswordPostgres } from '../../fixtures/servers/postgres.ts'

const why = passwordPostgresMissing
const CREATE = `CREATE ROLE "{{name}}" WITH LOGIN PASSWORD '{{password}}' VALID UNTIL '{{expiration}}'`

describe.skipIf(why !== undefined)(why ? `PostgreSQL (${why})` : 'PostgreSQL', () => {
  let server: PasswordPostgres
  const statements = () => [CREATE, `GRANT CONNECT ON DATABASE ${server.database} TO "{{name}}"`]
  beforeAll(async () => {
    server = await sharedPasswordPostgres()
  }, SERVER_START_MS)
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
      get creation_statements() {
        return statements()
      },
      get failing_statements() {
        return [...statements(), 'GRANT SELECT ON no_such_table TO "{{name}}"']
      },
      test,
    })
})
