/** Clusters on one clock and one network, and what is to be true of them. */
import { KernelError } from '../../../src/index.ts'
import type { Kernel } from '../../../src/kernel.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/index.ts'
import { Dice } from './dice.ts'
import { Model, type Outcome } from './model.ts'
import { type Network, network } from './network.ts'
import { type Node, Site, type SiteParts } from './site.ts'

export interface WorldOptions extends Pick<SiteParts, 'passes' | 'rules'> {
  readonly seed: string
  /** Kernels of each cluster, the primary's first: each has an address of its own, nothing is slow, and no log is cut. */
  readonly kernels?: readonly number[]
  /** The same where the rest is drawn. */
  readonly drawnKernels?: (dice: Dice) => readonly number[]
  /** How roles are handed over: the same for all clusters. */
  readonly replication?: SiteParts['replication']
}

/** The first primary with two kernels, and one or two others. */
const DRAWN_KERNELS = (dice: Dice): readonly number[] => [2, dice.pick([1, 1, 2]), ...(dice.chance(0.4) ? [1] : [])]

const NAMES = 'abcd'

const UNCUT = { maxBytes: 67_108_864, maxAgeMs: 86_400_000 }

/** The longest that one step may take, in milliseconds of the clock: calls of ports end after 15 seconds. */
const LONGEST_STEP_MS = 1_800_000

export class World {
  readonly seed: string
  /** Of the step that is being done. */
  dice: Dice
  readonly clock: FakeClock = fakeClock()
  readonly net: Network
  readonly sites: readonly Site[]
  /** What the set holds. */
  shared = new Model()
  primary: Site
  /** What is stored was set back: what differs is then said, and no fault. */
  isRestored = false
  /** Whose stored records were changed behind their backs: that is said, too. */
  readonly tampered = new Set<Site>()
  readonly told: string[] = []
  /** What happens at the same time as something else: its own, so that nothing else that is drawn depends on it. */
  readonly beside: Dice
  #names = 0

  constructor({ seed, passes, rules, kernels, drawnKernels = DRAWN_KERNELS, replication }: WorldOptions) {
    this.seed = seed
    this.dice = new Dice(seed)
    this.beside = new Dice(`${seed} beside`)
    const { dice, clock } = this
    this.net = network(clock, seed, dice)
    const given = {
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
      const parts: SiteParts = { ...given, log: UNCUT, turns: () => 0 }
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
    const parts: SiteParts = { ...given, log, turns }
    this.sites = drawnKernels(dice).map((count, at) => new Site(NAMES[at] as string, count, shared, parts))
    this.primary = this.sites[0] as Site
  }

  /** A text that was never there before. */
  fresh(): string {
    return `v${++this.#names}`
  }

  others(): readonly Site[] {
    return this.sites.filter((site) => site !== this.primary)
  }

  /** A process has come up. */
  opened(_: Node): void {}

  say(text: string): void {
    this.told.push(text)
  }

  /** Lets time pass until the work is done. */
  async settle<T>(work: Promise<T>): Promise<T> {
    let over = false
    const done = work.finally(() => {
      over = true
    })
    done.catch(() => {})
    await this.clock.advance(0)
    for (let [ms, passed] = [1, 0]; !over; ms = Math.min(ms * 2, 1000), passed += ms) {
      if (passed > LONGEST_STEP_MS) throw new Error('a call does not end')
      await this.clock.advance(ms)
    }
    return done
  }

  /** A kernel of a site; one is opened where none is. */
  async kernelAt(site: Site): Promise<Kernel> {
    for (let tries = 0; tries < 3 && site.live.length === 0; tries++) {
      const node = site.nodes[0] as Site['nodes'][number]
      await this.settle(node.open()).catch((error: unknown) => this.say(`  ${node.name} does not open: ${error}`))
    }
    const node = this.dice.pick(site.live)
    return node.kernel as Kernel
  }

  /** Buries the dead. */
  async bury(): Promise<void> {
    for (const site of this.sites)
      for (const node of site.nodes) {
        if (!node.storage?.dead || !node.kernel) continue
        this.say(`  ${node.name} has died`)
        await this.settle(node.close()).catch((error: unknown) => this.say(`  ${node.name} closed with ${error}`))
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
