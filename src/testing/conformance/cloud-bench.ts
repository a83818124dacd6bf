/**
 * What the cases of the cloud suite are written with.
 */
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
  /** Begins the name of each test. */
  readonly name: string
  readonly provider: CloudProvider
  /** With keys of a user who may do everything. Asked for once per test. */
  settings(): CloudSettings | Promise<CloudSettings>
  /** The same, at endpoints where nothing listens. */
  unreachable(): CloudSettings | Promise<CloudSettings>
  /** Whether the cloud takes these credentials; to be asked of the cloud itself, past the provider. */
  works(access_key: string, secret_key: string, security_token?: string): boolean | Promise<boolean>
  /** Of a managed policy that users may have. */
  readonly policy_arn: string
  /** Of a role that the user may assume. */
  readonly role_arn: string
  /** One that exists, with one managed policy and an inline one. */
  readonly group: {
    readonly name: string
    /** An ARN. */
    readonly attached: string
    readonly inline: { readonly name: string; readonly document: string }
  }
  /** Milliseconds since the Unix epoch as the cloud has them. Default: the machine's. */
  readonly now?: () => number
  /** Settings by which lists come one thing a page. Absent: pages are not tried. */
  readonly paged?: () => CloudSettings | Promise<CloudSettings>
  /** Settings by which `getUser` is never answered. Absent: that is not tried. */
  readonly hanging?: () => CloudSettings | Promise<CloudSettings>
  /** Gives a user a login profile, an MFA device or the like, past the provider. Absent: `deleteUserExtras` is tried with none. */
  readonly giveExtras?: (userName: string) => void | Promise<void>
  /** Registers a test with your runner: `test` of node:test and of Vitest fit as they are. */
  readonly test: (name: string, run: () => Promise<void>) => unknown
}

/** One provider under test, and shorthands. */
export interface CloudBench {
  readonly fixture: CloudConformanceFixture
  readonly settings: CloudSettings
  readonly client: CloudClient
  readonly signal: AbortSignal
  now(): number
  /** A name that nobody has. Its user is deleted at the end, with all it has. */
  name(): string
  /** A new user. */
  user(more?: Partial<NewCloudUser>): Promise<CloudUser>
  /** Another client, closed at the end. */
  connect(settings: CloudSettings): CloudClient
  /** That it fails for this reason, in the form the port demands, without any of the secrets in what it tells. */
  refuses(reason: CloudFailureReason, work: () => unknown, ...secrets: string[]): Promise<void>
  close(): Promise<void>
}

export interface CloudCase {
  readonly name: string
  /** An option of the fixture without which the case is left out. */
  readonly needs?: 'paged' | 'hanging' | 'giveExtras'
  run(bench: CloudBench): Promise<void>
}

const CALL_MS = 20_000
let names = 0

export async function openCloudBench(fixture: CloudConformanceFixture): Promise<CloudBench> {
  const settings = await fixture.settings()
  const signal = AbortSignal.timeout(CALL_MS)
  // One for many calls at once.
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
        () => assert.fail(`was not refused (${reason})`),
        (thrown: unknown) => thrown,
      )
      assert.ok(error instanceof Error, 'an Error is thrown')
      const { reason: given, code } = error as { reason?: unknown; code?: unknown }
      assert.equal(given, reason, `failed for another reason: ${error.message}`)
      if (code !== undefined) assert.match(String(code), /^[\w.]{1,60}$/)
      const told = `${error.message}\n${error.stack}\n${JSON.stringify(error)}\n${String((error as { cause?: unknown }).cause)}`
      for (const secret of secrets) assert.ok(!told.includes(secret), 'the error tells a secret')
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
