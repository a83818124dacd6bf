/**
 * The part of the store that one mount may touch.
 */
import { Allowance } from '../base/allowance.ts'
import type { Clock } from '../base/clock.ts'
import type { KeyClass, RecordKind } from '../contract/record-kind.ts'
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
  /**
   * The key of a record that every commit changes. Writers wait for each other instead of running into each other, and nothing here changes
   * as long as this record stays. Default: there is none.
   */
  readonly order?: string
  /** Whether what changes here is told to others. Default: no. */
  readonly synced?: () => boolean
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
  readonly #local: boolean
  readonly #tables = new Map<unknown, unknown>()
  #allowance: Allowance | undefined

  /** @param local Nothing in it is replicated: what other places keep in class `r` lies in class `l`. */
  constructor(id: string, home: PlaceHome, rules: PlaceRules, local = false) {
    this.id = id
    this.#local = local
    this.#home = home
    this.#rules = rules
  }

  get fences(): readonly Fence[] {
    return this.#rules.fences()
  }

  /** Holds for as long as {@link fences} do. */
  get synced(): boolean {
    return this.#rules.synced?.() === true
  }

  get order(): string | undefined {
    return this.#rules.order
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

  /** The class that records, and due entries, of this place lie in where they are declared to be of `keyClass`. */
  classOf(keyClass: KeyClass): KeyClass {
    return this.#local && keyClass === 'r' ? 'l' : keyClass
  }

  prefix(kind: { readonly class: KeyClass; readonly folder: string }): string {
    return `${this.classOf(kind.class)}/${this.id}/${kind.folder}/`
  }
}
