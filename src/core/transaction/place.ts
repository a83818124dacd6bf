/**
 * The part of the store that one mount may touch.
 */
import { Allowance } from '../base/allowance.ts'
import type { Clock } from '../base/clock.ts'
import type { RecordKind } from '../contract/record-kind.ts'
import type { RecordCache, Table } from './cache.ts'
import { Turnstile } from './turnstile.ts'

/** A key whose version every commit of a place checks, so that nothing is written through an outdated view. */
export interface Fence {
  readonly key: string
  readonly version: number
}

export interface PlaceRules {
  /** Checked by every commit. */
  readonly fences: () => readonly Fence[]
  /** Called after a conflict: checks whether the fences still stand. @throws KernelError when the place is gone. */
  readonly moved: () => Promise<void>
}

/** What a place needs of the kernel. */
interface PlaceHome {
  readonly cache: RecordCache
  readonly clock: Clock
}

/**
 * The part of the store that one mount may touch: its records lie under `<class>/<id>/`. `id` never changes and holds no path, so
 * moving a mount rewrites nothing.
 */
export class Place {
  readonly id: string
  readonly turnstile = new Turnstile()
  readonly #home: PlaceHome
  readonly #rules: PlaceRules
  readonly #tables = new Map<unknown, unknown>()
  #allowance: Allowance | undefined

  constructor(id: string, home: PlaceHome, rules: PlaceRules) {
    this.id = id
    this.#home = home
    this.#rules = rules
  }

  get fences(): readonly Fence[] {
    return this.#rules.fences()
  }

  moved(): Promise<void> {
    return this.#rules.moved()
  }

  table<T>(kind: RecordKind<T>): Table<T> {
    const known = this.#tables.get(kind)
    if (known) return known as Table<T>
    const table = this.#home.cache.table(kind, this.prefix(kind))
    this.#tables.set(kind, table)
    return table
  }

  /** As `Tx.allowance` says. */
  allowance(perSecond: number, most: number): Allowance {
    this.#allowance ??= new Allowance(this.#home.clock, perSecond, most)
    return this.#allowance
  }

  prefix(kind: { readonly class: string; readonly folder: string }): string {
    return `${kind.class}/${this.id}/${kind.folder}/`
  }
}
