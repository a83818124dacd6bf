import { test } from 'vitest'
import { databasePluginConformance, fakeDatabasePlugin } from '../../../src/testing/index.ts'

const plugin = fakeDatabasePlugin()

databasePluginConformance({
  name: 'fake',
  plugin,
  details: () => ({ connection_url: 'fake://server', username: 'root', password: 'root-password' }),
  login: plugin.login,
  creation_statements: ['CREATE USER {{name}}'],
  failing_statements: ['CREATE USER {{name}}', 'FAIL'],
  test,
})
