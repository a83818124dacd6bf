/**
 * Clusters in sets of both kinds: serving clusters, and DR secondaries that can replace them. A cluster that replaces another one takes
 * over its followers; with DR also its local data and credentials.
 */
import type { ReplicationKindName } from '../../../src/sys/replication/state/replication-kind.ts'
import type { Dice } from '../simulation/dice.ts'
import { Model } from '../simulation/model.ts'
import type { Node, Site } from '../simulation/site.ts'
import { World, type WorldOptions } from '../simulation/world.ts'
import type { Filter } from './admission.ts'
import { freshText } from './fresh.ts'
import { Watch } from './watch.ts'

/** The cluster that a cluster follows, and in which kind of set. */
export interface Place {
  readonly kind: ReplicationKindName
  readonly of: Site
}

type Layout = readonly (readonly [follower: number, kind: ReplicationKindName, of: number])[]

/** The first cluster is the first primary. */
export const LAYOUTS: readonly Layout[] = [
  [
    [1, 'performance', 0],
    [2, 'dr', 0],
    [3, 'dr', 1],
  ],
  [
    [1, 'performance', 0],
    [2, 'performance', 0],
    [3, 'dr', 0],
  ],
  [
    [1, 'performance', 0],
    [2, 'dr', 0],
  ],
  [
    [1, 'dr', 0],
    [2, 'dr', 0],
  ],
  [
    [1, 'performance', 0],
    [2, 'dr', 1],
  ],
]

export interface LandscapeOptions extends Omit<WorldOptions, 'drawnKernels'> {
  readonly layout: Layout
}

/** One cluster has two kernels, usually the first one. */
const kernelsOf =
  (layout: Layout) =>
  (dice: Dice): readonly number[] => {
    const twice = dice.chance(0.6) ? 0 : dice.int(1, layout.length)
    return Array.from({ length: layout.length + 1 }, (_, at) => (at === twice ? 2 : 1))
  }

export class Landscape extends World {
  readonly places = new Map<Site, Place>()
  /** The ids in the clusters' activation tokens. */
  readonly ids = new Map<Site, string>()
  /** By the id of the secondary. */
  readonly filters = new Map<string, Filter>()
  /** Whether there was ever a filter. */
  wasFiltered = false
  /** Whether the layout has performance secondaries. */
  readonly serves: boolean
  /** Acknowledged values that were then lost, with the clusters that may have them as lost writes. */
  readonly givenUp = new Map<string, Set<Site>>()
  /** The cluster that acknowledged a value. */
  readonly acknowledgedBy = new Map<string, Site>()
  /** Clusters that were the first primary or its DR secondary at some time. */
  readonly writers = new Set<Site>()
  readonly watch = new Watch(this)
  /** Whether promotions without force need proof that the primary writes no more. */
  readonly isStrict: boolean
  /** Whether every promotion so far was certain to lose nothing. */
  isSure = true
  /** Whether a set may have two primaries. */
  isSplit = false

  constructor({ layout, ...options }: LandscapeOptions) {
    super({ ...options, drawnKernels: kernelsOf(layout) })
    for (const [follower, kind, of] of layout) this.places.set(this.sites[follower] as Site, { kind, of: this.sites[of] as Site })
    this.isStrict = options.replication?.promotion === 'strict'
    this.#noteWriters()
    this.serves = layout.some(([, kind]) => kind === 'performance')
  }

  override fresh(): string {
    return freshText(super.fresh())
  }

  override opened(node: Node): void {
    this.watch.opened(node)
  }

  /** Whether a cluster serves requests, as opposed to a DR secondary. */
  isServing(site: Site): boolean {
    return this.places.get(site)?.kind !== 'dr'
  }

  /** The serving clusters of the performance set. */
  serving(): readonly Site[] {
    return this.sites.filter((site) => site === this.primary || this.places.get(site)?.kind === 'performance')
  }

  followersOf(site: Site, kind: ReplicationKindName): readonly Site[] {
    return this.sites.filter((candidate) => {
      const place = this.places.get(candidate)
      return place?.kind === kind && place.of === site
    })
  }

  filterOf(site: Site): Filter | undefined {
    return this.places.get(site)?.kind === 'performance' ? this.filters.get(this.ids.get(site) ?? '') : undefined
  }

  /** The kinds of sets in which a cluster is a primary with followers. */
  kindsOf(site: Site): readonly ReplicationKindName[] {
    return (['performance', 'dr'] as const).filter((kind) => this.followersOf(site, kind).length > 0)
  }

  /** A cluster has replaced the one that it followed, which is to follow it now. */
  took(site: Site, { kind, of: former }: Place): void {
    const isFirst = this.primary === former
    const inherited = this.places.get(former)
    const inheritedFrom = former.follows
    for (const other of this.followersOf(former, kind)) {
      this.places.set(other, { kind, of: site })
      other.follows = undefined
    }
    this.places.set(former, { kind, of: site })
    former.follows = undefined
    this.places.delete(site)
    site.follows = undefined
    if (kind === 'dr') this.#inherit(site, former)
    if (kind === 'dr' && inherited) {
      this.places.set(site, inherited)
      site.follows = inheritedFrom
    }
    if (kind === 'performance' || isFirst) this.primary = site
    this.#noteWriters()
  }

  /** Forgets the local records and lost writes of a cluster. */
  forgets(site: Site): void {
    site.local = new Model()
    site.hasCome = false
    for (const [value, left] of this.givenUp) if (left.has(site)) this.givenUp.delete(value)
  }

  #noteWriters(): void {
    for (const site of [this.primary, ...this.followersOf(this.primary, 'dr')]) this.writers.add(site)
  }

  /** Transfers everything that the former cluster was in other sets, including its credentials. */
  #inherit(site: Site, former: Site): void {
    const id = this.ids.get(former)
    if (id !== undefined) this.ids.set(site, id)
    site.local = former.local
    site.hasCome = former.hasCome
    former.local = new Model()
    // It may also have inherited the lost writes of the former cluster.
    for (const left of this.givenUp.values()) if (left.has(former)) left.add(site)
    for (const other of this.followersOf(former, 'performance')) {
      this.places.set(other, { kind: 'performance', of: site })
      if (other.follows === former.name) other.follows = site.name
    }
  }
}
