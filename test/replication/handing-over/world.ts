/** Clusters of one process with either kind of replication, whose connections can be cut. */
import { expect, vi } from 'vitest'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import {
  createKernel,
  inProcessNetwork,
  type Kernel,
  type KernelOptions,
  keySeal,
  memoryStorage,
  type ReplicationTransport,
} from '../../../src/index.ts'

type ReplicationOptions = NonNullable<KernelOptions['replication']>

export type KindOfSet = 'performance' | 'dr'

export const KINDS: readonly KindOfSet[] = ['performance', 'dr']

export interface Made extends Omit<Partial<KernelOptions>, 'replication'> {
  readonly replication?: ReplicationOptions
}

export class World {
  /** The names of clusters without any connection. */
  readonly cut = new Set<string>()
  /** The names of clusters that accept requests and never answer, like a paused process. */
  readonly silent = new Set<string>()
  /** The number of requests that a cluster may send before its connections are cut. */
  readonly left = new Map<string, number>()
  readonly #network = inProcessNetwork()
  readonly #open = new Set<Kernel>()
  readonly #seals = new Map<string, number>()

  /** Opens a kernel of the cluster with this name. Several kernels of a cluster share a given storage. */
  async open(name: string, { replication = {}, ...options }: Made = {}): Promise<Kernel> {
    const seal = this.sealOf(name)
    const kernel = await createKernel({
      storage: memoryStorage({ maxOps: 128 }),
      // Synchronous, so the fake clock cannot overtake it, and faster than the noble backend.
      crypto: nodeCrypto(),
      seal: keySeal(new Uint8Array(32).fill(seal)),
      initialize: true,
      ports: { replication: this.at(name) },
      replication,
      ...options,
    })
    this.#open.add(kernel)
    return kernel
  }

  /** The value of all bytes of the key of a cluster's seal. */
  sealOf(name: string): number {
    const seal = this.#seals.get(name) ?? this.#seals.size + 1
    this.#seals.set(name, seal)
    return seal
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((kernel) => kernel.close()))
    this.#open.clear()
  }

  at(name: string): ReplicationTransport {
    const { cut, left, silent } = this
    const network = this.#network
    const reaches = (): void => {
      if (cut.has(name)) throw new Error(`${name} is cut off`)
    }
    return {
      listen: (address, handler) =>
        network.listen(address, async (message) => {
          reaches()
          if (silent.has(name)) await new Promise(() => {})
          const answer = await handler(message)
          reaches()
          return answer
        }),
      async request(address, bytes, signal) {
        const more = left.get(name)
        if (more === 0) cut.add(name)
        else if (more !== undefined) left.set(name, more - 1)
        reaches()
        return network.request(address, bytes, signal)
      },
    }
  }
}

/** The facade of a kind of replication. */
export const sideOf = (kernel: Kernel, kind: KindOfSet): Kernel['replication']['dr'] | Kernel['replication'] =>
  kind === 'dr' ? kernel.replication.dr : kernel.replication

export const enable = async (primary: Kernel, kind: KindOfSet): Promise<void> =>
  void (await sideOf(primary, kind).enablePrimary())

/** Enables a secondary and lets it catch up. */
export async function follow(secondary: Kernel, primary: Kernel, kind: KindOfSet, id: string): Promise<void> {
  const { wrap_info } = await sideOf(primary, kind).createSecondaryToken({ id })
  await sideOf(secondary, kind).enableSecondary({ token: wrap_info?.token ?? '' })
  await ticked(secondary)
}

/** Waits until `is` returns true. Only a kernel that hangs takes long. */
export const until = (is: () => boolean | Promise<boolean>): Promise<void> =>
  vi.waitFor(async () => expect(await is()).toBe(true), { timeout: 60_000, interval: 5 })

/** @throws the first failure of the tick. */
export async function ticked(kernel: Kernel): Promise<void> {
  const { failed } = await kernel.tick()
  if (failed.length > 0) throw failed[0]?.error
}
