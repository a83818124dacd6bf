/**
 * Clusters whose keys have already made many encryptions.
 */
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { composeKernel } from '../../../src/compose-kernel.ts'
import { type Clock, systemClock } from '../../../src/core/base/clock.ts'
import { withFormat } from '../../../src/core/contract/record-kind.ts'
import type { KernelInternals } from '../../../src/core/kernel/assemble.ts'
import { counterId } from '../../../src/core/transaction/counter.ts'
import { ENCRYPTIONS } from '../../../src/engines/transit/encryptions.ts'
import { RING } from '../../../src/engines/transit/ring.ts'
import {
  inProcessNetwork,
  type Kernel,
  keySeal,
  memoryStorage,
  type ReplicationTransport,
  type Storage,
} from '../../../src/index.ts'
import { ENGINES, FRESH_MOUNTS, SYSTEM } from '../../fixtures/all-engines.ts'
import { tokenOf } from './cluster.ts'

export const LIMIT = 2 ** 32

let ahead = 0

/** The system clock, except that {@link ticked} sets it forward. */
const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead }

/** The interval at which a secondary reports its counts. */
const HELLO_INTERVAL_MS = 5000

export const SHARED = 'l/core/shared-count/'

export interface Cluster {
  readonly kernel: Kernel
  readonly internals: KernelInternals
  readonly storage: Storage
}

/** Clusters on one network. */
export class Site {
  readonly network: ReplicationTransport
  #made = 0

  constructor(network: ReplicationTransport = inProcessNetwork()) {
    this.network = network
  }

  /** @param storage The storage of a closed cluster, with its number. Default: a new one. */
  async open(storage: Storage = memoryStorage({ maxOps: 128 }), number = ++this.#made): Promise<Cluster> {
    const seal = keySeal(new Uint8Array(32).fill(number))
    const options = { storage, seal, clock, initialize: true, crypto: nodeCrypto(), ports: { replication: this.network } }
    return { storage, ...(await composeKernel(options, ENGINES, SYSTEM, FRESH_MOUNTS)) }
  }

  /** A primary with a key `k` and secondaries in sync with it, whose ids are their numbers from 1. */
  async set(secondaries: number): Promise<readonly [Cluster, ...Cluster[]]> {
    const primary = await this.open()
    await primary.kernel.transit.createKey({ name: 'k' })
    await primary.kernel.replication.enablePrimary()
    const others: Cluster[] = []
    for (let n = 1; n <= secondaries; n++) others.push(await this.follow(primary, `${n}`))
    return [primary, ...others]
  }

  async follow(primary: Cluster, id: string, secondary?: Cluster): Promise<Cluster> {
    const cluster = secondary ?? (await this.open())
    await cluster.kernel.replication.enableSecondary({ token: await tokenOf(primary.kernel, id) })
    await ticked(cluster)
    return cluster
  }
}

/** Two rounds, because the reports of a secondary in the first reach the others in the second. */
export async function ticked(...clusters: readonly Cluster[]): Promise<void> {
  for (let round = 0; round < 2; round++) {
    ahead += HELLO_INTERVAL_MS
    for (const { kernel } of clusters) {
      const { failed } = await kernel.tick()
      if (failed.length > 0) throw failed[0]?.error
    }
  }
}

/** Ticks a secondary once, which reports a page of its counts. */
export async function reported({ kernel }: Cluster): Promise<void> {
  ahead += HELLO_INTERVAL_MS
  await kernel.tick()
}

/** The key of a counter's record. */
export async function counterKey({ storage, internals }: Cluster, name = 'k', version = 1): Promise<string> {
  for (const { key } of await storage.scan('')) {
    const [, mount, folder] = key.split('/')
    if (folder !== RING.folder || !key.endsWith(`/${name}`)) continue
    const [found] = await internals.host.store.getMany([key])
    const { id } = RING.decode((found as { value: Uint8Array }).value.subarray(1), RING.format)
    return `l/${mount}/${ENCRYPTIONS.record.folder}/${counterId(id, version)}`
  }
  throw new Error(`there is no key ${name}`)
}

/** Stores this count for a key version without a reserved block. */
export async function wear(cluster: Cluster, count: number, name = 'k', version = 1): Promise<void> {
  const { store } = cluster.internals.host
  const value = withFormat(ENCRYPTIONS.record.format, ENCRYPTIONS.record.encode({ count }))
  const { ok } = await store.commit([store.encryptedPut(await counterKey(cluster, name, version), value, undefined)])
  if (!ok) throw new Error('it was not written')
}

const PLAINTEXT = new Uint8Array(16)

export const encrypt = ({ kernel }: Cluster, name = 'k') => kernel.transit.encrypt({ name, plaintext: PLAINTEXT })

/** Returns how many of these encryptions succeed. */
export async function tryMany({ kernel }: Cluster, count: number, name = 'k'): Promise<number> {
  const batch_input = Array.from({ length: count }, () => ({ plaintext: PLAINTEXT }))
  const { batch_results } = await kernel.transit.encryptBatch({ name, batch_input })
  return batch_results.filter(({ error }) => error === undefined).length
}

/** The cluster's own count of encryptions with version 1. */
export const shown = async ({ kernel }: Cluster, name = 'k'): Promise<number> =>
  (await kernel.transit.readKey({ name })).encryptions?.['1'] ?? 0

/** The stored reports about key versions. */
export const sharedOn = async ({ storage }: Cluster): Promise<readonly string[]> =>
  (await storage.scan(SHARED)).map(({ key }) => key)
