/** Clusters on one in-process network, and the content of their stores. */
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { createKernel, inProcessNetwork, type Kernel, keySeal, memoryStorage, type Storage } from '../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/index.ts'
import { bytesOf } from '../../property/support.ts'

export const BASE = 'sys/replication/performance'

export const START = 1_700_000_000_000

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>> | undefined
}

export interface Cluster {
  readonly kernel: Kernel
  readonly storage: Storage
  /** Creates a new token for `send`, because a secondary does not know the earlier tokens. */
  enter(): Promise<void>
  /** Sends a request with the root token of the cluster, with another token, or without one (null). */
  send(method: string, path: string, body?: unknown, token?: string | null, namespace?: string): Promise<Answer>
}

export class World {
  readonly clock: FakeClock = fakeClock(START)
  readonly #network = inProcessNetwork()
  readonly #clusters: Cluster[] = []

  async open(options: object = {}): Promise<Cluster> {
    const storage = memoryStorage({ maxOps: 128 })
    const seal = keySeal(bytesOf(32, this.#clusters.length + 1))
    const ports = { replication: this.#network }
    const kernel = await createKernel({
      storage,
      seal,
      initialize: true,
      crypto: nodeCrypto(),
      clock: this.clock,
      ports,
      ...options,
    })
    let root = kernel.rootToken ?? null
    const cluster: Cluster = {
      kernel,
      storage,
      async enter() {
        root = (await kernel.tokens.createToken({ policies: ['root'] })).client_token
      },
      async send(method, path, body, token = root, namespace) {
        const headers = {
          ...(token === null ? {} : { 'X-Service-Token': token }),
          ...(namespace === undefined ? {} : { 'X-Service-Namespace': namespace }),
        }
        const sent = body === undefined ? {} : { body: body as object }
        const { status, body: answer } = await kernel.handle({ method, path: `/v1/${path}`, headers, ...sent })
        return { status, body: answer as Answer['body'] }
      },
    }
    this.#clusters.push(cluster)
    return cluster
  }

  /** A cluster that is the primary of a set. */
  async primary(options: object = {}): Promise<Cluster> {
    const cluster = await this.open(options)
    await cluster.kernel.replication.enablePrimary()
    return cluster
  }

  /** A cluster that follows a primary with an id, and is in sync with it. */
  async secondary(primary: Cluster, id: string, options: object = {}): Promise<Cluster> {
    const cluster = await this.open(options)
    await cluster.kernel.replication.enableSecondary({ token: await tokenFor(primary, id) })
    await cluster.kernel.tick()
    await cluster.enter()
    return cluster
  }

  async close(): Promise<void> {
    await Promise.all(this.#clusters.map(({ kernel }) => kernel.close()))
  }
}

/** A wrapped activation token. */
export async function tokenFor({ kernel }: Cluster, id: string, more: object = {}): Promise<string> {
  const { wrap_info } = await kernel.replication.createSecondaryToken({ id, ...more })
  if (!wrap_info) throw new Error('it is not wrapped')
  return wrap_info.token
}

/** Records that change without a request: the log and its tree, claims, and when clusters were seen. */
const BESIDE = /^i\/(?:claim\/|replication\/(?:log|node|seen|heard|tree|checkpoint|folded))/

/** The version and the stored value of every record, by key. */
export async function contentOf({ storage }: Pick<Cluster, 'storage'>): Promise<ReadonlyMap<string, string>> {
  const entries = await storage.scan('')
  return new Map(
    entries
      .filter(({ key }) => !BESIDE.test(key))
      .map(({ key, value, version }) => [key, `${version} ${Buffer.from(value).toString('base64')}`]),
  )
}
