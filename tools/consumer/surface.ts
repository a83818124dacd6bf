// What every consumer of the package compiles, whatever its compiler and its settings: types.mjs goes through them. Never run.
import {
  createDevKernel,
  type Kernel,
  type KernelError,
  type KernelEvent,
  keySeal,
  type LoginRefusalReason,
  memoryStorage,
  type Ports,
} from 'strongroom'
import { type ConfigService, createConfigService } from 'strongroom/configsvc'
import { f, operation } from 'strongroom/engine'
import { kv, transit } from 'strongroom/engines'
import { createKernel } from 'strongroom/kernel'
import { policies } from 'strongroom/sys'

/** Neither `any` nor `unknown` is one of these. */
type Exact<T, Wanted> = [unknown] extends [T] ? false : [T] extends [Wanted] ? ([Wanted] extends [T] ? true : false) : false
const exact = <T extends true>(_: T): void => {}

export async function closedSets({ transit, tokens, leases }: Kernel, input: Uint8Array): Promise<void> {
  await transit.createKey({ name: 'orders', type: 'aes256-gcm96' })
  // @ts-expect-error no such type
  await transit.createKey({ name: 'orders', type: 'aes256-gcmX' })
  // @ts-expect-error nor for a missing key, or one that encrypts nothing
  await transit.encrypt({ name: 'orders', plaintext: input, type: 'ed25519' })
  // @ts-expect-error no such hash
  await transit.sign({ name: 'orders', input, hash_algorithm: 'md5' })
  // @ts-expect-error no such form
  await transit.sign({ name: 'orders', input, marshaling_algorithm: 'xml' })
  await transit.sign({ name: 'orders', input, signature_algorithm: 'pss', salt_length: 32 })
  // @ts-expect-error no such kind
  await transit.generateDataKey({ name: 'orders', kind: 'plain' })
  // @ts-expect-error no such kind
  await transit.exportKey({ name: 'orders', key_type: 'secret-key' })
  await transit.exportKey({ name: 'orders', key_type: 'public-key', version: 'latest', format: 'pem' })
  // @ts-expect-error no such type
  await tokens.createToken({ policies: ['orders'], type: 'periodic' })
  // @ts-expect-error nothing else is listed
  await leases.listIrrevocable({ type: 'all' })
}

export async function neededMembers(
  kernel: Kernel,
  pool: { query(text: string): Promise<unknown>; totalCount: number },
): Promise<void> {
  const { transit, tokens, policies, mounts, leases, wrapping, database, cloud, kv } = kernel
  // @ts-expect-error the application has no policies that the token could take over
  await tokens.createToken()
  // @ts-expect-error nor does an orphan have any
  await tokens.createOrphan({ ttl: '1h' })
  await tokens.createToken({ policies: ['orders'] })
  // @ts-expect-error the application is no token
  tokens.lookupSelf
  await kernel.as('token').tokens.createToken()
  await kernel.as('token').namespace('team/').tokens.lookupSelf()
  // @ts-expect-error the application has no wrapping token
  await wrapping.unwrap()
  await kernel.as('token').wrapping.unwrap()
  // @ts-expect-error a text
  await policies.writePolicy({ name: 'orders' })
  // @ts-expect-error a lease
  await leases.renewLease()
  // @ts-expect-error a type
  await mounts.createMount({ path: 'payments/' })
  await mounts.createMount({ path: 'payments/', type: 'an-engine-of-my-own' })
  // @ts-expect-error both paths
  await mounts.moveMount({ from: 'payments/' })
  // @ts-expect-error a user
  await database.writeStaticRole({ name: 'reports' })
  await database.writeStaticRole({ name: 'reports', db_name: 'app', username: 'reports', rotation_period: '24h' })
  // @ts-expect-error a period or a schedule
  await database.writeStaticRole({ name: 'reports', rotation_period: '24h', rotation_schedule: '0 1 * * *' })
  // @ts-expect-error a user
  await cloud.writeStaticRole({ name: 'reports' })
  // @ts-expect-error a signature or an HMAC
  await transit.verify({ name: 'orders', input: new Uint8Array(1) })
  await transit.verify({ name: 'orders', input: new Uint8Array(1), signature: '' })
  // @ts-expect-error one of them
  await transit.verify({ name: 'orders', signature: '', hmac: '' })
  // @ts-expect-error a ciphertext
  await transit.decrypt({ name: 'orders' })
  // @ts-expect-error no transaction
  await kv.writeSecret({ path: 'a', data: {} }, { transaction: true })
  // @ts-expect-error a pool may use another connection for each query
  await kv.writeSecret({ path: 'a', data: {} }, { transaction: pool })
  await kv.writeSecret({ path: 'a', data: {} }, { transaction: memoryStorage().begin() })
}

export async function closes(kernel: Kernel): Promise<void> {
  await using own = await createConfigService({ storage: memoryStorage(), plaintext: true })
  const services: readonly ConfigService[] = [own, kernel.configsvc]
  for (const service of services) await service.close()
}

export async function results(kernel: Kernel): Promise<void> {
  const key = await kernel.transit.readKey({ name: 'orders' })
  exact<Exact<typeof key.latest_version, number>>(true)
  exact<Exact<typeof key.warnings, readonly string[] | undefined>>(true)
  const { ciphertext } = await kernel.transit.encrypt({ name: 'orders', plaintext: new Uint8Array(1) })
  exact<Exact<typeof ciphertext, string>>(true)
  const { batch_results } = await kernel.transit.decryptBatch({ name: 'orders', batch_input: [{ ciphertext }] })
  for (const item of batch_results) {
    if (item.error) exact<Exact<typeof item.error, KernelError>>(true)
    else exact<Exact<typeof item.plaintext, Uint8Array>>(true)
  }
  const { expire_time } = await kernel.as('token').tokens.lookupSelf()
  exact<Exact<typeof expire_time, string | null>>(true)
  const { by_path } = await kernel.policies.capabilities({ token: 'token', paths: ['secret/a'] })
  exact<
    Exact<(typeof by_path)[string][number], 'create' | 'read' | 'update' | 'delete' | 'list' | 'patch' | 'sudo' | 'deny' | 'root'>
  >(true)
  // @ts-expect-error only what a token keeps for itself is on views of tokens alone
  kernel.cubbyhole
  await kernel.as('token').cubbyhole.listEntries()
}

export async function kernels(): Promise<void> {
  const whole = await createDevKernel()
  await whole.close()
  const chosen = await createKernel({ engines: [transit(), kv()], storage: memoryStorage(), seal: keySeal(new Uint8Array(32)) })
  await chosen.transit.at('payments/').rotateKey({ name: 'orders' })
  // @ts-expect-error it has no such engine
  chosen.orchestrator
  await chosen.policies.listPolicies()
  await chosen.close()
  const seal = keySeal(new Uint8Array(32))
  const small = await createKernel({ engines: [transit()], sys: [policies()], storage: memoryStorage(), seal })
  await small.transit.rotateKey({ name: 'orders' })
  await small.as('token').policies.capabilitiesSelf({ paths: ['transit/'] })
  // @ts-expect-error it has no such part
  small.audit
  await small.close()
}

export const ping = operation({
  kind: 'read',
  verb: 'GET',
  path: '/ping/:name',
  summary: 'Answers.',
  fields: { name: f.name('Who asks.') },
  returns: { pong: f.text('Who asked.') },
  run: (_, { name }) => ({ pong: name }),
})

/** Members that other files of the package add to public interfaces. */
export async function merged(every: Required<Ports>): Promise<void> {
  const { replication, sync, databases, cloud, tokenReviewer, managedKeys } = every
  await createDevKernel({ ports: { replication, sync, databases, cloud, tokenReviewer, managedKeys } })
  const chosen = { engines: [transit(), kv()], storage: memoryStorage(), seal: keySeal(new Uint8Array(32)) } as const
  await createKernel({ ...chosen, ports: { replication, sync } })
  await createConfigService({ storage: memoryStorage(), seal: keySeal(new Uint8Array(32)), ports: { tokenReviewer } })
  const reasons: readonly LoginRefusalReason[] = ['times-missing', 'signature-invalid']
  const types: readonly KernelEvent['type'][] = ['key.rotated', 'sync.synced']
  console.log(reasons, types)
}
