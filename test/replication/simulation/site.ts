/** A cluster of the simulation: one store, and kernels that start and stop. */
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { composeKernel } from '../../../src/compose-kernel.ts'
import type { KernelInternals } from '../../../src/core/kernel/assemble.ts'
import type { ReplicationOptions } from '../../../src/core/kernel/replication-options.ts'
import type { Op } from '../../../src/core/storage/port.ts'
import { keySeal, type MemoryStorage, memoryStorage } from '../../../src/index.ts'
import type { Kernel } from '../../../src/kernel.ts'
import type { ReplicationRules } from '../../../src/sys/replication/replication-context.ts'
import { type FakeClock, seededEntropy } from '../../../src/testing/index.ts'
import { FRESH_MOUNTS } from '../../fixtures/all-engines.ts'
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
  /** Options for role changes: `promotion`, `fence` and `ack`. */
  readonly replication?: Omit<ReplicationOptions, 'clusterAddress' | 'log'>
  /** Changes the ops of each commit on its way to the store. */
  readonly passes?: (ops: readonly Op[], site: Site) => readonly Op[]
  /** Replaced replication rules. */
  readonly rules?: Partial<ReplicationRules>
  /** The turns of the event loop that a commit takes to arrive. */
  readonly turns: () => number
  /** Called when a process has started. */
  readonly opened?: (node: Node) => void
}

/** An event of a kernel. */
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

  /** @throws the error of the kernel's creation. */
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
        // Synchronous, so that the seed determines the order of all events, and fast, so that many schedules can run.
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
  /** Milliseconds by which the clocks of its machines are ahead. */
  skew = 0
  /** Its local data. */
  local = new Model()
  /** Whether the first sync has ended. Local data from before are bound to mounts that the sync replaces. */
  hasCome = false
  /** The stored values at an earlier moment. */
  memento: Memento = new Map()
  /** The records with a flipped byte, before and after. */
  readonly flipped = new Map<string, { readonly was: Uint8Array; readonly now: Uint8Array }>()
  /** The name of the site that it follows. */
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
