/** The conformance suite must detect providers that break the contract. */
import { expect, test } from 'vitest'
import type { CloudClient, CloudProvider } from '../../../src/engines/cloud/port.ts'
import { cloudProviderConformance, FAKE_CLOUD_EXTRAS, fakeCloudProvider } from '../../../src/testing/index.ts'
import { settingsAt } from '../../fixtures/aws/settings.ts'
import { recordedWorld } from '../../fixtures/aws/world.ts'

type Call = (request: never, signal: AbortSignal) => Promise<unknown>

/** The names of the cases that fail for a provider with changed clients. */
async function failures(change: (client: CloudClient) => Partial<Record<keyof CloudClient, Call>>): Promise<string[]> {
  const fake = fakeCloudProvider(recordedWorld(Date.now))
  const provider: CloudProvider = {
    connect(settings) {
      const client = fake.connect(settings)
      return { ...client, ...(change(client) as Partial<CloudClient>) }
    },
  }
  const cases: (readonly [string, () => Promise<void>])[] = []
  cloudProviderConformance({
    name: 'changed',
    provider,
    settings: () => settingsAt(fake.url),
    unreachable: () => settingsAt('http://127.0.0.1:1'),
    paged: () => settingsAt(`${fake.url}/paged`),
    hanging: () => settingsAt(`${fake.url}/GetUser.hang`),
    works: (key, secret, token) => fake.works(key, secret, token),
    giveExtras: (userName) => fake.giveExtras(userName, FAKE_CLOUD_EXTRAS),
    policy_arn: 'arn:aws:iam::aws:policy/ReadOnlyAccess',
    role_arn: 'arn:aws:iam::123456789012:role/app',
    group: {
      name: 'devs',
      attached: 'arn:aws:iam::aws:policy/ReadOnlyAccess',
      inline: {
        name: 'g1',
        document: '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:Get*","Resource":"*"}]}',
      },
    },
    test: (name, run) => cases.push([name, run]),
  })
  const failed: string[] = []
  for (const [name, run] of cases)
    await run().then(
      () => {},
      () => failed.push(name.replace('changed: ', '')),
    )
  return failed
}

test('every case of cloudProviderConformance passes for an unmodified client of the fake cloud', async () => {
  expect(await failures(() => ({}))).toEqual([])
})

const { signal: late } = new AbortController()

test.each<[string, (client: CloudClient) => Partial<Record<keyof CloudClient, Call>>, string]>([
  [
    'lists that end after the first page',
    (client) => ({ listUserPolicies: async (request, signal) => (await client.listUserPolicies(request, signal)).slice(0, 1) }),
    'reads all pages of every list',
  ],
  [
    'times in seconds',
    (client) => ({
      listAccessKeys: async (request, signal) =>
        (await client.listAccessKeys(request, signal)).map((key) => ({ ...key, createDate: key.createDate / 1000 })),
    }),
    'lists the access keys of a user with their creation times',
  ],
  [
    'documents that are not decoded',
    (client) => ({ getGroupPolicy: async (request, signal) => encodeURIComponent(await client.getGroupPolicy(request, signal)) }),
    'returns the policies of a group with unchanged documents',
  ],
  [
    'errors without a reason',
    (client) => ({
      getUser: (request, signal) =>
        client.getUser(request, signal).catch((error: Error) => {
          throw new Error(error.message)
        }),
    }),
    'returns a created user by name until it is deleted',
  ],
  [
    'an existing user reported as created',
    (client) => ({
      createUser: (request: { userName: string }, signal) =>
        client.createUser(request as never, signal).catch(() => client.getUser({ userName: request.userName }, signal)),
    }),
    'leaves an existing user unchanged when it refuses to create the user again',
  ],
  [
    'signals that are ignored',
    (client) => ({ createUser: (request) => client.createUser(request, late) }),
    'does not send a call whose signal is already aborted',
  ],
  [
    'other objects of a user that are not deleted',
    () => ({ deleteUserExtras: async () => {} }),
    'deleteUserExtras deletes all other objects that prevent the deletion of a user',
  ],
  [
    'a session that expires earlier than reported',
    (client) => ({
      assumeRole: async (request, signal) => {
        const made = await client.assumeRole(request, signal)
        return { ...made, expiration: made.expiration + 900_000 }
      },
    }),
    'returns valid temporary credentials for a role',
  ],
])('cloudProviderConformance detects %s', async (_, change, name) => {
  expect(await failures(change)).toContain(name)
})

test('cloudProviderConformance detects errors that contain keys', async () => {
  const failed = await failures((client) => ({
    getUser: (request, signal) =>
      client.getUser(request, signal).catch((error: Error) => {
        throw Object.assign(new Error(`${error.message} for ${settingsAt('').accessKey}`), error)
      }),
  }))
  expect(failed).toContain('fails with reason access-denied at IAM and STS if the secret key is wrong')
})
