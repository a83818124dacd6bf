import assert from 'node:assert/strict'
import { type DatabaseConformanceFixture, openDatabaseBench } from './database-bench.ts'
import { databaseConnectionCases } from './database-connections.ts'
import { databaseUserCases } from './database-users.ts'

/**
 * Registers the conformance suite of the database plugin port, for authors of adapters.
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
  fixture.test(`${fixture.name}: declares that it supports passwords`, async () => {
    assert.ok(
      fixture.plugin.credential_types.includes('password'),
      'credential_types must contain `password`, because the suite creates users with passwords',
    )
  })
}
