import assert from 'node:assert/strict'
import { setMaxListeners } from 'node:events'
import type {
  CloudClient,
  CloudFailureReason,
  CloudProvider,
  CloudSettings,
  CloudUser,
  NewCloudUser,
} from '../../engines/cloud/port.ts'

export interface CloudConformanceFixture {
  /** The prefix of the test names. */
  readonly name: string
  readonly provider: CloudProvider
  /** Returns settings with the keys of a user that has all permissions. Called once per test. */
  settings(): CloudSettings | Promise<CloudSettings>
  /** Returns settings whose IAM and STS endpoints cannot be reached. */
  unreachable(): CloudSettings | Promise<CloudSettings>
  /** Returns whether the cloud accepts these credentials. It must call the cloud directly, without the provider. */
  works(access_key: string, secret_key: string, security_token?: string): boolean | Promise<boolean>
  /** The ARN of a managed policy that can be attached to users. */
  readonly policy_arn: string
  /** The ARN of a role that the user of `settings` may assume. */
  readonly role_arn: string
  /** An existing group that has one attached managed policy and one inline policy. */
  readonly group: {
    readonly name: string
    /** The ARN of the attached managed policy. */
    readonly attached: string
    readonly inline: { readonly name: string; readonly document: string }
  }
  /** Returns the time of the cloud in milliseconds since the Unix epoch. Default: `Date.now`. */
  readonly now?: () => number
  /** Returns settings for an endpoint whose lists have one item per page. If absent, the tests of paging are skipped. */
  readonly paged?: () => CloudSettings | Promise<CloudSettings>
  /** Returns settings for an endpoint that never answers `getUser`. If absent, the tests that need such an endpoint are skipped. */
  readonly hanging?: () => CloudSettings | Promise<CloudSettings>
  /**
   * Attaches a login profile, an MFA device or similar objects to a user. It must call the cloud directly, without the provider. If
   * absent, `deleteUserExtras` is tested only with a user without such objects.
   */
  readonly giveExtras?: (userName: string) => void | Promise<void>
  /** Registers a test with the test runner, such as `test` of node:test or Vitest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown
}

/** The provider under test with its client, and helper methods for the tests. */
export interface CloudBench {
  readonly fixture: CloudConformanceFixture
  readonly settings: CloudSettings
  readonly client: CloudClient
  readonly signal: AbortSignal
  now(): number
  /** Returns an unused user name. If the test creates a user with this name, it is deleted at the end of the test. */
  name(): string
  /** Creates a user, which is deleted at the end of the test. */
  user(more?: Partial<NewCloudUser>): Promise<CloudUser>
  /** Creates another client, which is closed at the end of the test. */
  connect(settings: CloudSettings): CloudClient
  /** Asserts that `work` fails with an error as the port requires: with this `reason`, and with none of the secrets in any text. */
  refuses(reason: CloudFailureReason, work: () => unknown, ...secrets: string[]): Promise<void>
  close(): Promise<void>
}

export interface CloudCase {
  readonly name: string
  /** The optional member of the fixture that the test needs. Without this member, the test is skipped. */
  readonly needs?: 'paged' | 'hanging' | 'giveExtras'
  run(bench: CloudBench): Promise<void>
}

const CALL_MS = 20_000
let names = 0

export async function openCloudBench(fixture: CloudConformanceFixture): Promise<CloudBench> {
  const settings = await fixture.settings()
  const signal = AbortSignal.timeout(CALL_MS)
  // Remove the limit of listeners, because many concurrent calls add listeners to the same signal.
  setMaxListeners(0, signal)
  const made = new Set<string>()
  const clients: CloudClient[] = []
  const connect = (to: CloudSettings): CloudClient => {
    const client = fixture.provider.connect(to)
    clients.push(client)
    return client
  }
  const client = connect(settings)
  const name = (): string => {
    const userName = `conformance-${Date.now().toString(36)}-${++names}`
    made.add(userName)
    return userName
  }
  return {
    fixture,
    settings,
    client,
    signal,
    now: fixture.now ?? Date.now,
    name,
    user: (more = {}) => client.createUser({ userName: name(), path: '/', ...more }, signal),
    connect,
    async refuses(reason, work, ...secrets) {
      const error: unknown = await (async () => work())().then(
        () => assert.fail(`the call must fail with the reason ${reason}, but it succeeded`),
        (thrown: unknown) => thrown,
      )
      assert.ok(error instanceof Error, 'the call must throw an Error')
      const { reason: given, code } = error as { reason?: unknown; code?: unknown }
      assert.equal(given, reason, `the error must have the reason ${reason}; its message is: ${error.message}`)
      if (code !== undefined) assert.match(String(code), /^[\w.]{1,60}$/)
      const told = `${error.message}\n${error.stack}\n${JSON.stringify(error)}\n${String((error as { cause?: unknown }).cause)}`
      for (const secret of secrets) assert.ok(!told.includes(secret), 'the error must not contain a secret')
    },
    async close() {
      const last = fixture.provider.connect(settings)
      for (const userName of made) await deleteUserCompletely(last, userName)
      await Promise.all([...clients, last].map((one) => one.close()))
    },
  }
}

async function deleteUserCompletely(client: CloudClient, userName: string): Promise<void> {
  const signal = AbortSignal.timeout(CALL_MS)
  const user = await client.getUser({ userName }, signal).catch((error: { readonly reason?: unknown }) => {
    if (error.reason === 'not-found') return undefined
    throw error
  })
  if (!user) return
  for (const { accessKeyId } of await client.listAccessKeys({ userName }, signal))
    await client.deleteAccessKey({ userName, accessKeyId }, signal)
  for (const policyArn of await client.listAttachedUserPolicies({ userName }, signal))
    await client.detachUserPolicy({ userName, policyArn }, signal)
  for (const policyName of await client.listUserPolicies({ userName }, signal))
    await client.deleteUserPolicy({ userName, policyName }, signal)
  for (const groupName of await client.listGroupsForUser({ userName }, signal))
    await client.removeUserFromGroup({ userName, groupName }, signal)
  await client.deleteUserExtras({ userName }, signal)
  await client.deleteUser({ userName }, signal)
}
