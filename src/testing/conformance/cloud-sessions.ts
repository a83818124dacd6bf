import assert from 'node:assert/strict'
import type { TemporaryCredentials } from '../../engines/cloud/port.ts'
import type { CloudBench, CloudCase } from './cloud-bench.ts'

const MIN_SESSION_SECONDS = 900
const SLACK_MS = 60_000

async function assertCredentials({ fixture, now }: CloudBench, made: TemporaryCredentials, seconds: number): Promise<void> {
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = made
  assert.ok(Math.abs(expiration - (now() + seconds * 1000)) < SLACK_MS, 'expiration must be milliseconds since the Unix epoch')
  assert.equal(await fixture.works(accessKeyId, secretAccessKey, sessionToken), true)
  assert.equal(await fixture.works(accessKeyId, secretAccessKey), false)
}

export const cloudSessionCases: readonly CloudCase[] = [
  {
    name: 'returns valid temporary credentials for a role',
    async run(bench) {
      const { client, fixture, signal } = bench
      const request = {
        roleArn: fixture.role_arn,
        roleSessionName: 'conformance@suite',
        durationSeconds: MIN_SESSION_SECONDS,
        policyArns: [],
      }
      const made = await client.assumeRole(request, signal)
      assert.match(made.assumedRoleArn, /^arn:[\w-]+:sts::\d{12}:assumed-role\/[\w+=,.@-]+\/conformance@suite$/)
      await assertCredentials(bench, made, MIN_SESSION_SECONDS)
    },
  },
  {
    name: 'returns valid temporary credentials for a role with session policies',
    async run(bench) {
      const { client, fixture, signal } = bench
      const made = await client.assumeRole(
        {
          roleArn: fixture.role_arn,
          roleSessionName: 'conformance',
          durationSeconds: MIN_SESSION_SECONDS,
          policy: fixture.group.inline.document,
          policyArns: [fixture.policy_arn],
        },
        signal,
      )
      await assertCredentials(bench, made, MIN_SESSION_SECONDS)
    },
  },
  {
    name: 'returns valid credentials of a federation token',
    async run(bench) {
      const { client, fixture, signal } = bench
      const made = await client.getFederationToken(
        { name: 'conformance', durationSeconds: 3600, policy: fixture.group.inline.document, policyArns: [fixture.policy_arn] },
        signal,
      )
      await assertCredentials(bench, made, 3600)
    },
  },
  {
    name: 'refuses to create a session with an invalid role, name, duration or policy',
    async run({ client, fixture, signal, refuses }) {
      const good = {
        roleArn: fixture.role_arn,
        roleSessionName: 'conformance',
        durationSeconds: MIN_SESSION_SECONDS,
        policyArns: [],
      }
      const assume = (more: object) => () => client.assumeRole({ ...good, ...more }, signal)
      await refuses('access-denied', assume({ roleArn: 'arn:aws:iam::000000000000:user/no-such-role' }))
      await refuses('invalid', assume({ roleSessionName: 'x' }))
      await refuses('invalid', assume({ durationSeconds: MIN_SESSION_SECONDS - 1 }))
      await refuses('invalid', assume({ durationSeconds: 43_201 }))
      await refuses('invalid', assume({ policy: '[]' }))
      await refuses('invalid', assume({ policyArns: ['arn:aws:iam::aws:not-a-policy/x'] }))
      const token = (more: object) => () =>
        client.getFederationToken({ name: 'conformance', durationSeconds: MIN_SESSION_SECONDS, policyArns: [], ...more }, signal)
      await refuses('invalid', token({ durationSeconds: 129_601 }))
      await refuses('invalid', token({ name: 'x'.repeat(33) }))
    },
  },
]
