/**
 * The contract of a database plugin as a suite of tests, for those who write an adapter.
 */
import assert from 'node:assert/strict'
import { type DatabaseConformanceFixture, openDatabaseBench } from './database-bench.ts'
import { databaseConnectionCases } from './database-connections.ts'
import { databaseUserCases } from './database-users.ts'

/**
 * Registers the suite: one test per promise of the port.
 *
 * @example
 * import { test } from 'node:test'
 * databasePluginConformance({ name: 'mine', plugin: myPlugin(), details, login, creation_statements, failing_statements, test })
 */
export function databasePluginConformance(fixture: DatabaseConformanceFixture): void {
  for (const { name, run } of [...databaseConnectionCases, ...databaseUserCases])
    fixture.test(`${fixture.name}: ${name}`, async () => {
      const bench = await openDatabaseBench(fixture)
      try {
        await run(bench)
      } finally {
        await bench.close()
      }
    })
  fixture.test(`${fixture.name}: takes passwords`, async () => {
    assert.ok(fixture.plugin.credential_types.includes('password'), 'the suite makes users with passwords')
  })
}
