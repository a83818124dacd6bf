/** A cluster of the simulation: one store, and kernels that come and go. */
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { FRESH_MOUNTS } from '../../../src/conventional.ts'
import type { KernelInternals } from '../../../src/core/kernel/assemble.ts'
import type { ReplicationOptions } from '../../../src/core/kernel/replication-options.ts'
import type { Op } from '../../../src/core/storage/port.ts'
import { keySeal, type MemoryStorage, memoryStorage } from '../../../src/index.ts'
import { composeKernel, type Kernel } from '../../../src/kernel.ts'
import type { ReplicationRules } from '../../../src/sys/replication/replication-context.ts'
import { type FakeClock, seededEntropy } from '../../../src/testing/index.ts'
import { engineSetWith } from './engine-set.ts'
import { Model } from './model.ts'
import { type MortalStorage, mortalStorage } from './mortal-storage.ts'
import type { Network } from './network.ts'
import type { Memento } from './tampering.ts'

export interface SiteParts {
  readonly clock: FakeClock
  readonly net: Network
  readonly seed: string
  readonly log: { readonly maxBytes: number; readonly maxAgeMs: number }
  /** How roles are handed over: `promotion`, `fence` and `ack` go here. */
  readonly replication?: Omit<ReplicationOptions, 'clusterAddress' | 'log'>
  /** What becomes of the ops of each commit on their way to the store. */
  readonly passes?: (ops: readonly Op[], site: Site) => readonly Op[]
  /** Rules of replication that are replaced. */
  readonly rules?: Partial<ReplicationRules>
  /** Turns of the event loop that a commit takes to arrive. */
  readonly turns: () => number
  /** A process has come up. */
  readonly opened?: (node: Node) => void
}

/** What a kernel has to say that is no answer. */
export interface Said {
  readonly node: string
  readonly type: string
}

export class Node {
  readonly name: string
  readonly site: Site
  kernel: Kernel | undefined
  internals: KernelInternals | undefined
  storage: MortalStorage | undefined
  #opened = 0

  constructor(site: Site, name: string) {
    this.site = site
    this.name = name
  }

  /** @throws What keeps the kernel from opening. */
  async open(): Promise<void> {
    const { clock, net, seed, log, passes, rules, replication } = this.site.parts
    const { site, name } = this
    this.storage = mortalStorage(site.memory, {
      clock,
      turns: site.parts.turns,
      ...(passes ? { passes: (ops) => passes(ops, this.site) } : {}),
    })
    const { engines, system } = engineSetWith(rules)
    const { kernel, internals } = await composeKernel(
      {
        storage: this.storage,
        seal: keySeal(new Uint8Array(32).fill(7)),
        initialize: true,
        clock: { now: () => clock.now() + site.skew, sleep: (ms, signal) => clock.sleep(ms, signal) },
        // Synchronous, so that a seed tells the order of everything; and fast, so that there can be many schedules.
        crypto: nodeCrypto(),
        entropy: seededEntropy(`${seed} ${name} ${this.#opened++}`),
        ports: { replication: net.at(site.name) },
        replication: { ...replication, clusterAddress: site.shared ? site.name : name, log },
      },
      engines,
      system,
      FRESH_MOUNTS,
    )
    this.kernel = kernel
    this.internals = internals
    this.site.parts.opened?.(this)
    kernel.events.on(
      'replication.diverged',
      ({ lost }) => void (lost === 0 && site.said.push({ node: name, type: 'replication.diverged' })),
    )
  }

  async close(): Promise<void> {
    const { kernel } = this
    this.kernel = undefined
    this.internals = undefined
    await kernel?.close()
  }
}

export class Site {
  readonly name: string
  readonly parts: SiteParts
  readonly shared: boolean
  readonly nodes: readonly Node[]
  readonly said: Said[] = []
  memory: MemoryStorage = memoryStorage({ maxOps: 128 })
  /** Milliseconds that the clocks of its machines are ahead. */
  skew = 0
  /** What never leaves it. */
  local = new Model()
  /** Its tokens are good from now on: what is made before the first copy has come is bound to mounts that this copy replaces. */
  hasCome = false
  /** What was stored at some moment. */
  memento: Memento = new Map()
  /** Records with a flipped byte, and what they were. */
  readonly flipped = new Map<string, { readonly was: Uint8Array; readonly now: Uint8Array }>()
  /** Name of the site that it was told to follow. */
  follows: string | undefined

  constructor(name: string, kernels: number, shared: boolean, parts: SiteParts) {
    this.name = name
    this.parts = parts
    this.shared = shared
    this.nodes = Array.from({ length: kernels }, (_, at) => new Node(this, `${name}${at + 1}`))
  }

  get live(): readonly Node[] {
    return this.nodes.filter(({ kernel }) => kernel !== undefined)
  }
}
