/** A kernel with KV version 2 at `kv/` and fake destinations. */
import { createDevKernel, type Kernel, type KernelOptions } from '../../../src/index.ts'
import { type FakeClock, type FakeSyncDestination, fakeClock, fakeSyncDestination } from '../../../src/testing/index.ts'

export interface World {
  readonly kernel: Kernel
  readonly clock: FakeClock
  /** The destination `aws` of type cloud-a-sm. */
  readonly store: FakeSyncDestination
  /** The destination `azure` of type cloud-b-kv. */
  readonly vault: FakeSyncDestination
  /** The destination `github` of type repohost, which stores each key of a secret separately. */
  readonly repo: FakeSyncDestination
  readonly write: (path: string, data: Readonly<Record<string, unknown>>) => Promise<unknown>
  readonly set: (secret: string, to?: Target) => Promise<Standing>
  readonly remove: (secret: string, to?: Target) => Promise<Standing>
  /** The sync status of each row, by secret name and key. */
  readonly standing: (to?: Target) => Promise<Standing>
  /** Ticks until nothing is due at the current time. */
  readonly settle: () => Promise<void>
  /** Advances the clock by `ms` and settles, `steps` times. */
  readonly pass: (ms: number, steps?: number) => Promise<void>
}

export type Target = 'aws' | 'azure' | 'github'
export type Standing = Readonly<Record<string, string>>

const TYPES = { aws: 'cloud-a-sm', azure: 'cloud-b-kv', github: 'repohost' } as const

export const AZURE = {
  key_vault_uri: 'https://a.vault.azure.net',
  client_id: 'c',
  client_secret: 'CREDENTIAL-azure',
  tenant_id: 't',
}
export const GITHUB = { access_token: 'CREDENTIAL-github', repository_owner: 'o', repository_name: 'r' }
export const AWS = { access_key_id: 'CREDENTIAL-aws-id', secret_access_key: 'CREDENTIAL-aws', region: 'eu-west-1' }

export async function openWorld(options: Partial<KernelOptions> = {}, parts: Partial<World> = {}): Promise<World> {
  const clock = parts.clock ?? fakeClock()
  const store = parts.store ?? fakeSyncDestination({ type: 'cloud-a-sm' })
  const vault = parts.vault ?? fakeSyncDestination({ type: 'cloud-b-kv' })
  const repo = parts.repo ?? fakeSyncDestination({ type: 'repohost' })
  const ports = { sync: { 'cloud-a-sm': store, 'cloud-b-kv': vault, repohost: repo } }
  const kernel = await createDevKernel({ clock, ports, ...options })
  await kernel.mounts.createMount({ path: 'kv', type: 'kv', options: { version: '2' } })
  await kernel.sync.writeCloudASm({ name: 'aws', ...AWS, secret_name_template: 'p/{{ .SecretPath }}' })
  await kernel.sync.writeCloudBKv({ name: 'azure', ...AZURE, secret_name_template: 'p-{{ .SecretPath }}' })
  await kernel.sync.writeRepohost({ name: 'github', ...GITHUB, secret_name_template: '{{ .SecretPath }}_{{ .SecretKey }}' })
  return { ...worldOf(kernel), clock, store, vault, repo, ...paces(kernel, clock) }
}

export function worldOf(kernel: Kernel): Pick<World, 'kernel' | 'write' | 'set' | 'remove' | 'standing'> {
  const named = (to: Target) => ({ type: TYPES[to], name: to })
  return {
    kernel,
    write: (path, data) => kernel.kv2.at('kv/').writeSecret({ path, data }),
    set: async (secret_name, to = 'aws') =>
      standingOf(await kernel.sync.setAssociation({ ...named(to), mount: 'kv', secret_name })),
    remove: async (secret_name, to = 'aws') =>
      standingOf(await kernel.sync.removeAssociation({ ...named(to), mount: 'kv', secret_name })),
    standing: async (to = 'aws') => standingOf(await kernel.sync.readAssociations(named(to))),
  }
}

type Rows = Readonly<Record<string, { readonly secret_name: string; readonly sub_key?: string; readonly sync_status: string }>>

const standingOf = ({ associated_secrets }: { readonly associated_secrets: Rows }): Standing =>
  Object.fromEntries(
    Object.values(associated_secrets).map(({ secret_name, sub_key, sync_status }) => [
      sub_key === undefined ? secret_name : `${secret_name}:${sub_key}`,
      sync_status,
    ]),
  )

export function paces(kernel: Kernel, clock: FakeClock): Pick<World, 'settle' | 'pass'> {
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 200; round++) {
      const { done, more, failed } = await kernel.tick()
      if (failed.length > 0) throw new Error(`${failed[0]?.lane} ${failed[0]?.id}: ${failed[0]?.error.stack}`)
      if (done === 0 && !more) return
    }
    throw new Error('there is always something due')
  }
  const pass = async (ms: number, steps = 1): Promise<void> => {
    for (let step = 0; step < steps; step++) {
      await clock.advance(ms)
      await settle()
    }
  }
  return { settle, pass }
}
