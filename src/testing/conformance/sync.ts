import assert from 'node:assert/strict'
import { openSyncBench, type SyncConformanceFixture } from './sync-bench.ts'
import { syncOwnerCases } from './sync-owners.ts'
import { syncRuleCases } from './sync-rules.ts'
import { syncSessionCases } from './sync-sessions.ts'
import { syncValueCases } from './sync-values.ts'

/**
 * Registers the conformance suite of the secret sync destination port, for authors of adapters.
 *
 * @example
 * import { test } from 'node:test'
 * syncDestinationConformance({ name: 'mine', destination: mine(), config: () => config, read, test })
 */
export function syncDestinationConformance(fixture: SyncConformanceFixture): void {
  for (const { name, run } of [...syncRuleCases, ...syncValueCases, ...syncOwnerCases, ...syncSessionCases])
    fixture.test(`${fixture.name}: ${name}`, async () => {
      const bench = await openSyncBench(fixture)
      try {
        await run(bench)
      } finally {
        await bench.close()
      }
    })
  fixture.test(`${fixture.name}: has a fixture whose read returns undefined for a missing secret`, async () => {
    assert.equal(await fixture.read(fixture.destination.rules.normalizeName('conformance/nothing')), undefined)
    if (fixture.destination.rules.tags) assert.ok(fixture.tags, 'the fixture must have `tags` if rules.tags is true')
  })
}
