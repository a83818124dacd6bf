import assert from 'node:assert/strict'
import type { CloudCase } from './cloud-bench.ts'

const WRONG_SECRET = 'wrongSecretWrongSecretWrongSecretWrongSe'
const PROMPT_MS = 2_000

export const cloudFailureCases: readonly CloudCase[] = [
  {
    name: 'connect returns a client instead of a promise, even if the settings are wrong',
    async run({ connect, settings, fixture }) {
      for (const to of [{ ...settings, secretKey: WRONG_SECRET }, await fixture.unreachable()]) {
        const client = connect(to) as unknown as { readonly then?: unknown; readonly close: unknown }
        assert.equal(client.then, undefined)
        assert.equal(typeof client.close, 'function')
      }
    },
  },
  {
    name: 'fails with reason access-denied at IAM and STS if the secret key is wrong',
    async run({ connect, fixture, settings, signal, refuses }) {
      const { accessKey = '', secretKey = '' } = settings
      const client = connect({ ...settings, secretKey: WRONG_SECRET })
      const secrets = [WRONG_SECRET, secretKey, accessKey].filter((one) => one !== '')
      await refuses('access-denied', () => client.getUser({}, signal), ...secrets)
      const request = { roleArn: fixture.role_arn, roleSessionName: 'conformance', durationSeconds: 900, policyArns: [] }
      await refuses('access-denied', () => client.assumeRole(request, signal), ...secrets)
    },
  },
  {
    name: 'fails with reason access-denied if the access key was deleted',
    async run({ client, connect, settings, user, signal, refuses }) {
      const { userName } = await user()
      const { accessKeyId, secretAccessKey } = await client.createAccessKey({ userName }, signal)
      const own = connect({ ...settings, accessKey: accessKeyId, secretKey: secretAccessKey })
      assert.equal((await own.getUser({}, signal)).userName, userName)
      await client.deleteAccessKey({ userName, accessKeyId }, signal)
      await refuses('access-denied', () => own.getUser({}, signal), accessKeyId, secretAccessKey)
    },
  },
  {
    name: 'fails with reason unavailable if the endpoint of IAM or STS cannot be reached',
    async run({ connect, fixture, signal, refuses }) {
      const to = await fixture.unreachable()
      const client = connect(to)
      const secrets = to.secretKey === undefined ? [] : [to.secretKey]
      await refuses('unavailable', () => client.getUser({}, signal), ...secrets)
      const request = { name: 'conformance', durationSeconds: 900, policyArns: [] }
      await refuses('unavailable', () => client.getFederationToken(request, signal), ...secrets)
    },
  },
  {
    name: 'does not send a call whose signal is already aborted',
    async run({ client, name, signal, refuses }) {
      const userName = name()
      await refuses('unavailable', () => client.createUser({ userName, path: '/' }, AbortSignal.abort()))
      await refuses('not-found', () => client.getUser({ userName }, signal))
    },
  },
  {
    name: 'ends a call that the cloud never answers when the signal is aborted',
    needs: 'hanging',
    async run({ connect, fixture, refuses }) {
      const client = connect((await fixture.hanging?.()) ?? {})
      const since = performance.now()
      await refuses('unavailable', () => client.getUser({}, AbortSignal.timeout(100)))
      assert.ok(performance.now() - since < PROMPT_MS, 'the call must end soon after the signal is aborted')
    },
  },
  {
    name: 'sends no calls after the client was closed',
    async run({ connect, settings, name, client, signal, refuses }) {
      const other = connect(settings)
      await other.getUser({}, signal)
      await other.close()
      await other.close()
      const userName = name()
      await refuses('unavailable', () => other.createUser({ userName, path: '/' }, signal))
      await refuses('not-found', () => client.getUser({ userName }, signal))
    },
  },
]
