import { type CloudConformanceFixture, openCloudBench } from './cloud-bench.ts'
import { cloudFailureCases } from './cloud-failures.ts'
import { cloudKeyCases } from './cloud-keys.ts'
import { cloudListCases } from './cloud-lists.ts'
import { cloudPolicyCases } from './cloud-policies.ts'
import { cloudSessionCases } from './cloud-sessions.ts'
import { cloudUserCases } from './cloud-users.ts'

const CASES = [
  ...cloudUserCases,
  ...cloudPolicyCases,
  ...cloudKeyCases,
  ...cloudListCases,
  ...cloudSessionCases,
  ...cloudFailureCases,
]

/**
 * Registers the conformance suite of the cloud provider port, for authors of adapters. The users that the suite creates are named
 * `conformance-…` and are deleted at the end of each test.
 *
 * @example
 * import { test } from 'node:test'
 * cloudProviderConformance({ name: 'mine', provider: myCloud(), settings, unreachable, works, policy_arn, role_arn, group, test })
 */
export function cloudProviderConformance(fixture: CloudConformanceFixture): void {
  for (const { name, needs, run } of CASES) {
    if (needs && fixture[needs] === undefined) continue
    fixture.test(`${fixture.name}: ${name}`, async () => {
      const bench = await openCloudBench(fixture)
      try {
        await run(bench)
      } finally {
        await bench.close()
      }
    })
  }
}
