/** A primary with mounts of every type, hidden and local mounts and namespaces, and secondaries that can send any message. */
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { composeKernel } from '../../../src/compose-kernel.ts'
import type { KernelInternals } from '../../../src/core/kernel/assemble.ts'
import { type AuditEntry, inProcessNetwork, keySeal, memoryStorage } from '../../../src/index.ts'
import type { Kernel } from '../../../src/kernel.ts'
import { REPLICATION, type ReplicationContext } from '../../../src/sys/replication/replication-context.ts'
import { ENGINES, FRESH_MOUNTS, SYSTEM } from '../../fixtures/all-engines.ts'
import { completed, type Known } from '../../fixtures/every-operation.ts'
import { furnish, furnishedPorts } from '../../fixtures/good-requests.ts'

export interface Cluster {
  readonly kernel: Kernel
  readonly internals: KernelInternals
  readonly center: ReplicationContext
  readonly entries: AuditEntry[]
  readonly root: string
}

export type Sent = Readonly<Record<string, unknown>>

/** In the names and values of everything that the filter hides. */
export const HIDDEN = 'wolframite'

export class World {
  readonly #network = inProcessNetwork()
  #made = 0

  async open(options: Partial<Parameters<typeof composeKernel>[0]> = {}): Promise<Cluster> {
    const entries: AuditEntry[] = []
    const { kernel, internals } = await composeKernel(
      {
        storage: memoryStorage({ maxOps: 128 }),
        seal: keySeal(new Uint8Array(32).fill(++this.#made)),
        initialize: true,
        crypto: nodeCrypto(),
        ...options,
        ports: {
          ...furnishedPorts(),
          replication: this.#network,
          audit: { sinks: { main: (entry: AuditEntry) => void entries.push(entry) } },
          ...options.ports,
        },
      },
      ENGINES,
      SYSTEM,
      FRESH_MOUNTS,
    )
    return { kernel, internals, center: REPLICATION.of(internals.host).performance, entries, root: internals.rootToken ?? '' }
  }

  async primary(options: Parameters<World['open']>[0] = {}): Promise<Cluster> {
    const primary = await this.open(options)
    await furnish((method, path, body) => send(primary, method, path, body))
    await primary.kernel.mounts.createMount({ path: 'here', type: 'kv', local: true })
    await primary.kernel.replication.enablePrimary()
    return primary
  }

  /** With `hidden`, the filter hides mounts of every type and a namespace. */
  async secondary(
    primary: Cluster,
    id: string,
    rules: { readonly forward?: 'app'; readonly hidden?: true } = {},
  ): Promise<Cluster> {
    const { replication } = primary.kernel
    const { forward } = rules
    const { wrap_info } = await replication.createSecondaryToken({ id, ...(forward && { forward }) })
    if (rules.hidden) await replication.writePathsFilter({ id, mode: 'deny', paths: hiddenPaths })
    const secondary = await this.open()
    await secondary.kernel.replication.enableSecondary({ token: wrap_info?.token ?? '' })
    const { failed } = await secondary.kernel.tick()
    if (failed.length > 0) throw failed[0]?.error
    return secondary
  }
}

/** A primary with mounts and a namespace that the filter of its secondary hides. The application on the secondary may write. */
export async function hidingPair(): Promise<{ readonly primary: Cluster; readonly secondary: Cluster }> {
  const world = new World()
  const primary = await world.primary()
  await hide(primary)
  return { primary, secondary: await world.secondary(primary, 'berlin', { forward: 'app', hidden: true }) }
}

const HIDDEN_TYPES = ['kv', 'kv-v2', 'transit', 'database', 'cloud'] as const

export const hiddenMountOf = (type: string): string => `${HIDDEN}-${type}/`

const hiddenPaths = [...HIDDEN_TYPES.map(hiddenMountOf), `auth/${hiddenMountOf('orchestrator')}`, `${HIDDEN}-space/`]

/** Creates the mounts and namespace that a secondary's filter hides. */
export async function hide({ kernel }: Cluster): Promise<void> {
  for (const type of HIDDEN_TYPES)
    await kernel.mounts.createMount({ path: hiddenMountOf(type), type, description: `${HIDDEN}-description` })
  await kernel.mounts.createAuthMethod({ path: hiddenMountOf('orchestrator'), type: 'orchestrator' })
  await kernel.kv.at(hiddenMountOf('kv')).writeSecret({ path: 'a', data: { v: `${HIDDEN}-value` } })
  await kernel.kv2.at(hiddenMountOf('kv-v2')).writeSecret({ path: 'a', data: { v: `${HIDDEN}-value` } })
  await kernel.transit.at(hiddenMountOf('transit')).createKey({ name: 'k' })
  await kernel.namespaces.createNamespace({ name: `${HIDDEN}-space`, custom_metadata: { of: `${HIDDEN}-metadata` } })
  const inside = kernel.namespace(`${HIDDEN}-space/`)
  await inside.policies.writePolicy({ name: 'p', policy: `path "${HIDDEN}" { capabilities = ["read"] }` })
  await inside.mounts.createMount({ path: 'kv', type: 'kv' })
}

export const send = (cluster: Cluster, method: string, path: string, body?: object, token = cluster.root) =>
  cluster.kernel.handle({ method, path: `/v1/${path}`, headers: { 'X-Service-Token': token }, ...(body && { body }) })

/** Sends a message as the secondary's process. Resolves to an error message or a value. @throws Error if there is no answer. */
export const exchangeMessage = async ({ center }: Cluster, message: Sent): Promise<Sent> =>
  (await center.follower.ask({ kind: 'forward', ...message }, new AbortController().signal, true)) as Sent

/** The mount at a path of a cluster. */
export function mountOf({ internals: { topology } }: Cluster, path: string, namespace = '') {
  const at = topology.namespaces.byPath(namespace)
  const found = at && topology.mounts.of(at).find(({ record }) => record.path === path)
  if (!found) throw new Error(`no mount at ${namespace}${path}`)
  return found
}

/** The content of the store without records of replication and reserved counter blocks. */
export async function contentOf({ internals }: Cluster): Promise<string> {
  const { store } = internals.host
  const found: string[] = []
  for (const prefix of ['r/', 'l/']) {
    for (const name of await store.list(prefix)) {
      const [version] = await store.versions([prefix + name])
      if (!/^l\/core\/replication|\/encryptions\//.test(prefix + name)) found.push(`${prefix}${name} ${version}`)
    }
  }
  return found.join('\n')
}

const VALUES: Sent = { path: 'a', name: 'k', data: '{"v":1}', type: 'kv', from: 'movable', to: 'moved' }

/** A message that requests the operation in a mount, with valid parameters. */
export function messageFor(
  primary: Cluster,
  known: Known,
  at: { readonly path: string; readonly namespace?: string },
  caller: Sent | null,
): Sent {
  const { operation, method } = known
  const { record } = mountOf(primary, at.path, at.namespace)
  const all = { ...completed(known, VALUES, 'typed') }
  const pick = (fields: object): Sent =>
    Object.fromEntries(Object.keys(fields).flatMap((name) => (name in all ? [[name, all[name]]] : [])))
  return {
    operation: method,
    mount: record.uuid,
    namespace: record.namespace,
    path: `${record.path}a`,
    remote_address: '192.0.2.1',
    caller,
    asked: caller && { trailingSlash: false, wrapTtl: 0 },
    input: pick(operation.fields),
    ...(operation.batch && { item: pick(operation.item) }),
  }
}

export const refusalIn = (answer: Sent) => answer['refusal'] as { readonly code: string; readonly message: string } | undefined
