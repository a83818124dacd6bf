import { expect } from 'vitest'
import { createDevKernel, type Kernel, type KernelOptions } from '../../../src/index.ts'
import {
  type FakeClock,
  type FakeCloudProvider,
  type FakeCloudProviderOptions,
  fakeClock,
  fakeCloudProvider,
} from '../../../src/testing/index.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

export const ROOT = { access_key: 'AKIAROOTROOTROOTROOT', secret_key: 'rootSecretRootSecretRootSecretRootSecret' }

export interface StaticRoleWorld {
  readonly clock: FakeClock
  readonly cloud: FakeCloudProvider
  readonly kernel: Kernel
}

export async function openStaticRoleWorld(
  { clock = fakeClock(), ...more }: Partial<KernelOptions> & { readonly clock?: FakeClock } = {},
  world: FakeCloudProviderOptions = {},
): Promise<StaticRoleWorld> {
  const cloud = fakeCloudProvider({ root: ROOT, now: clock.now, ...world })
  const kernel = await createDevKernel({ clock, ports: { cloud }, ...more })
  await kernel.cloud.configureRoot(ROOT)
  return { clock, cloud, kernel }
}

/** The key ids of a user, oldest first. */
export const keysOf = ({ cloud }: Pick<StaticRoleWorld, 'cloud'>, user: string): readonly string[] =>
  (cloud.users.get(user)?.keys ?? []).map(({ accessKeyId }) => accessKeyId)

/** Returns the key of a role after checking that it works. */
export async function goodKey({ kernel, cloud }: Pick<StaticRoleWorld, 'kernel' | 'cloud'>, name: string): Promise<string> {
  const { access_key, secret_key } = await kernel.cloud.staticCreds({ name })
  expect([name, cloud.works(access_key, secret_key)]).toEqual([name, true])
  return access_key
}

/** Advances the clock, with a tick every ten seconds. */
export async function pass({ kernel, clock }: Pick<StaticRoleWorld, 'kernel' | 'clock'>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10_000) {
    await clock.advance(10_000)
    await kernel.tick()
  }
}

/** The names of the cloud calls since `from`. */
export const callsSince = ({ cloud }: Pick<StaticRoleWorld, 'cloud'>, from: number): readonly string[] =>
  cloud.calls.slice(from).map(({ call }) => call)
