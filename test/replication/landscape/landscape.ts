/**
 * Clusters in sets of both kinds: those that serve, each with clusters behind it that may take its place. Whoever takes the place of another one
 * takes its followers, its own data and its credentials, too.
 */
import type { ReplicationKindName } from '../../../src/sys/replication/state/replication-kind.ts'
import type { Dice } from '../simulation/dice.ts'
import { Model } from '../simulation/model.ts'
import type { Node, Site } from '../simulation/site.ts'
import { World, type WorldOptions } from '../simulation/world.ts'
import type { Filter } from './admission.ts'
import { freshText } from './fresh.ts'
import { Watch } from './watch.ts'

/** What a cluster is to follow. */
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

/** One cluster has two kernels, and most often it is the first one. */
const kernelsOf =
  (layout: Layout) =>
  (dice: Dice): readonly number[] => {
    const twice = dice.chance(0.6) ? 0 : dice.int(1, layout.length)
    return Array.from({ length: layout.length + 1 }, (_, at) => (at === twice ? 2 : 1))
  }

export class Landscape extends World {
  readonly places = new Map<Site, Place>()
  /** The names that clusters were given their tokens by. */
  readonly ids = new Map<Site, string>()
  /** By the name of the secondary. */
  readonly filters = new Map<string, Filter>()
  /** There was a filter at some time. */
  wasFiltered = false
  /** Whether clusters serve one another, and not only stand by. */
  readonly serves: boolean
  /** What was acknowledged and then given up, with the clusters that may have been left with it: one of them is the one that gives it up. */
  readonly givenUp = new Map<string, Set<Site>>()
  /** Who acknowledged a value. */
  readonly acknowledgedBy = new Map<string, Site>()
  /** Who wrote as the first primary, or stood by for it meanwhile. */
  readonly writers = new Set<Site>()
  readonly watch = new Watch(this)
  /** Nobody takes over from a primary that cannot be reached. */
  readonly isStrict: boolean
  /** Nobody has taken over without being sure. */
  isSure = true
  /** There may be two primaries of one set. */
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

  /** Whether a cluster serves, and is not only to take another one's place. */
  isServing(site: Site): boolean {
    return this.places.get(site)?.kind !== 'dr'
  }

  /** Clusters of the set that serve. */
  serving(): readonly Site[] {
    return this.sites.filter((site) => site === this.primary || this.places.get(site)?.kind === 'performance')
  }

  followersOf(site: Site, kind: ReplicationKindName): readonly Site[] {
    return this.sites.filter((other) => {
      const place = this.places.get(other)
      return place?.kind === kind && place.of === site
    })
  }

  filterOf(site: Site): Filter | undefined {
    return this.places.get(site)?.kind === 'performance' ? this.filters.get(this.ids.get(site) ?? '') : undefined
  }

  /** The kind in which a cluster is a primary that others can take over from. */
  kindsOf(site: Site): readonly ReplicationKindName[] {
    return (['performance', 'dr'] as const).filter((kind) => this.followersOf(site, kind).length > 0)
  }

  /** A cluster has taken the place of the one it followed, which is to follow it from now on. */
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

  /** The records that a cluster kept for itself, and those it gave up, are gone. */
  forgets(site: Site): void {
    site.local = new Model()
    site.hasCome = false
    for (const [value, left] of this.givenUp) if (left.has(site)) this.givenUp.delete(value)
  }

  #noteWriters(): void {
    for (const site of [this.primary, ...this.followersOf(this.primary, 'dr')]) this.writers.add(site)
  }

  /** All that a cluster was for others, its credentials included. */
  #inherit(site: Site, former: Site): void {
    const id = this.ids.get(former)
    if (id !== undefined) this.ids.set(site, id)
    site.local = former.local
    site.hasCome = former.hasCome
    former.local = new Model()
    // It goes on in the other's place, with what it has of that.
    for (const left of this.givenUp.values()) if (left.has(former)) left.add(site)
    for (const other of this.followersOf(former, 'performance')) {
      this.places.set(other, { kind: 'performance', of: site })
      if (other.follows === former.name) other.follows = site.name
    }
  }
}
