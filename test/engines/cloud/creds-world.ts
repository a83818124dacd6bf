import type { CloudProvider } from '../../../src/engines/cloud/port.ts'
import { createDevKernel, type Kernel, type KernelEvent, type KernelOptions } from '../../../src/index.ts'
import { type FakeClock, type FakeCloudProvider, fakeClock, fakeCloudProvider } from '../../../src/testing/index.ts'

export const ROOT = { access_key: 'AKIAROOTROOTROOTROOT', secret_key: 'root-secret-root-secret-root-secret-0000' }

export const READ_ONLY = 'arn:aws:iam::aws:policy/ReadOnlyAccess'
export const ROLE_ARN = 'arn:aws:iam::123456789012:role/app'
export const DOCUMENT = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"ec2:*","Resource":"*"}]}'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** Users that exist in the cloud from the start. */
const BEFORE = new Set(['engine-root', 'app-none', 'app-more', 'app-one', 'app-two'])

export interface CloudWorld extends AsyncDisposable {
  readonly kernel: Kernel
  readonly clock: FakeClock
  readonly cloud: FakeCloudProvider
  readonly events: KernelEvent[]
  /** The audit entries. */
  readonly entries: unknown[]
  /** Users that the kernel has created. */
  made(): readonly string[]
  /** Sends a call by path, by default with the root token. */
  send(method: string, path: string, body?: object, token?: string): Promise<Sent>
  /** Advances the clock and runs a tick. */
  pass(ms: number): Promise<void>
}

export interface Sent {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes.
  readonly body: any
}

export interface CloudWorldOptions {
  /** Wraps or replaces the fake cloud. */
  readonly provider?: (fake: FakeCloudProvider) => CloudProvider
  readonly fake?: Parameters<typeof fakeCloudProvider>[0]
  readonly kernel?: Partial<KernelOptions>
}

/** Opens a kernel with one role of each type: `user`, `session` and `token`. */
export async function openCloud({
  provider = (fake) => fake,
  fake,
  kernel: options,
}: CloudWorldOptions = {}): Promise<CloudWorld> {
  const clock = fakeClock()
  const cloud = fakeCloudProvider({ root: ROOT, now: () => clock.now(), ...fake })
  const entries: unknown[] = []
  const sinks = { main: (entry: unknown) => void entries.push(entry) }
  const kernel = await createDevKernel({ clock, ports: { cloud: provider(cloud), audit: { sinks } }, ...options })
  const events: KernelEvent[] = []
  kernel.events.on('*', (event) => void events.push(event))
  await kernel.cloud.configureRoot(ROOT)
  await kernel.cloud.configureLease({ lease: '1h', lease_max: '24h' })
  await kernel.cloud.writeRole({ name: 'user', credential_type: 'iam_user', policy_document: DOCUMENT })
  await kernel.cloud.writeRole({ name: 'session', credential_type: 'assumed_role', role_arns: [ROLE_ARN] })
  await kernel.cloud.writeRole({ name: 'token', credential_type: 'federation_token', policy_arns: [READ_ONLY] })
  return {
    kernel,
    clock,
    cloud,
    events,
    entries,
    made: () => [...cloud.users.keys()].filter((name) => !BEFORE.has(name)),
    async send(method, path, body, token = kernel.rootToken ?? '') {
      const headers = { 'X-Service-Token': token }
      const { status, body: answer } = await kernel.handle({ method, path: `/v1/${path}`, headers, ...(body && { body }) })
      return { status, body: answer }
    },
    async pass(ms) {
      await clock.advance(ms)
      await kernel.tick()
    },
    [Symbol.asyncDispose]: () => kernel.close(),
  }
}
