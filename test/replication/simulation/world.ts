/** Clusters with one clock and one network, and the model of their data. */
import { KernelError } from '../../../src/index.ts'
import type { Kernel } from '../../../src/kernel.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/index.ts'
import { Dice } from './dice.ts'
import { Model, type Outcome } from './model.ts'
import { type Network, network } from './network.ts'
import { type Node, Site, type SiteParts } from './site.ts'

export interface WorldOptions extends Pick<SiteParts, 'passes' | 'rules'> {
  readonly seed: string
  /**
   * The number of kernels of each cluster, the primary's first, for a directed schedule: each kernel has its own address, there are no
   * delays, and the log is not truncated.
   */
  readonly kernels?: readonly number[]
  /** The number of kernels of each cluster in a random schedule. */
  readonly drawnKernels?: (dice: Dice) => readonly number[]
  /** Options for role changes, for all clusters. */
  readonly replication?: SiteParts['replication']
}

/** The first primary with two kernels, and one or two other clusters. */
const DRAWN_KERNELS = (dice: Dice): readonly number[] => [2, dice.pick([1, 1, 2]), ...(dice.chance(0.4) ? [1] : [])]

const NAMES = 'abcd'

const UNCUT = { maxBytes: 67_108_864, maxAgeMs: 86_400_000 }

/** The maximum duration of one step in milliseconds of the clock. Calls of ports end after 15 seconds. */
const MAX_STEP_MS = 1_800_000

export class World {
  readonly seed: string
  /** The random source of the current step. */
  dice: Dice
  readonly clock: FakeClock = fakeClock()
  readonly net: Network
  readonly sites: readonly Site[]
  /** The replicated data. */
  shared = new Model()
  primary: Site
  /** Whether a store was restored. Reports of differences are then no violation. */
  isRestored = false
  /** Sites whose stored records were changed. They also report differences. */
  readonly tampered = new Set<Site>()
  readonly log: string[] = []
  /** A separate random source for concurrent events, so that other choices do not depend on it. */
  readonly concurrentDice: Dice
  #names = 0

  constructor({ seed, passes, rules, kernels, drawnKernels = DRAWN_KERNELS, replication }: WorldOptions) {
    this.seed = seed
    this.dice = new Dice(seed)
    this.concurrentDice = new Dice(`${seed} beside`)
    const { dice, clock } = this
    this.net = network(clock, seed, dice)
    const common = {
      clock,
      net: this.net,
      seed,
      opened: (node: Node) => this.opened(node),
      ...(passes ? { passes } : {}),
      ...(rules ? { rules } : {}),
      ...(replication ? { replication } : {}),
    }
    if (kernels) {
      this.net.calm = true
      const parts: SiteParts = { ...common, log: UNCUT, turns: () => 0 }
      this.sites = kernels.map((count, at) => new Site(NAMES[at] as string, count, false, parts))
      this.primary = this.sites[0] as Site
      return
    }
    const log = {
      maxBytes: dice.pick([500, 3000, 20_000, 67_108_864]),
      maxAgeMs: dice.pick([5000, 600_000, 86_400_000]),
    }
    const shared = dice.chance(0.5)
    const slow = dice.chance(0.5)
    const own = new Dice(`${seed} turns`)
    const turns = () => (slow ? own.int(0, 4) : 0)
    const parts: SiteParts = { ...common, log, turns }
    this.sites = drawnKernels(dice).map((count, at) => new Site(NAMES[at] as string, count, shared, parts))
    this.primary = this.sites[0] as Site
  }

  /** A text that was not used before. */
  fresh(): string {
    return `v${++this.#names}`
  }

  others(): readonly Site[] {
    return this.sites.filter((site) => site !== this.primary)
  }

  /** Called when a process has started. */
  opened(_: Node): void {}

  record(text: string): void {
    this.log.push(text)
  }

  /** Advances the clock until the work is done. */
  async settle<T>(work: Promise<T>): Promise<T> {
    let over = false
    const done = work.finally(() => {
      over = true
    })
    done.catch(() => {})
    await this.clock.advance(0)
    for (let [ms, passed] = [1, 0]; !over; ms = Math.min(ms * 2, 1000), passed += ms) {
      if (passed > MAX_STEP_MS) throw new Error('a call does not end')
      await this.clock.advance(ms)
    }
    return done
  }

  /** A kernel of a site. Starts one if none is running. */
  async kernelAt(site: Site): Promise<Kernel> {
    for (let tries = 0; tries < 3 && site.live.length === 0; tries++) {
      const node = site.nodes[0] as Site['nodes'][number]
      await this.settle(node.open()).catch((error: unknown) => this.record(`  ${node.name} does not open: ${error}`))
    }
    const node = this.dice.pick(site.live)
    return node.kernel as Kernel
  }

  /** Closes dead processes. */
  async bury(): Promise<void> {
    for (const site of this.sites)
      for (const node of site.nodes) {
        if (!node.storage?.dead || !node.kernel) continue
        this.record(`  ${node.name} has died`)
        await this.settle(node.close()).catch((error: unknown) => this.record(`  ${node.name} closed with ${error}`))
      }
  }
}

export const outcomeOf = async (call: Promise<unknown>): Promise<{ readonly outcome: Outcome; readonly error?: unknown }> => {
  try {
    await call
    return { outcome: 'done' }
  } catch (error) {
    const refused = error instanceof KernelError && error.status < 500
    return { outcome: refused ? 'refused' : 'unknown', error }
  }
}
