/**
 * The part of the store that one mount may touch. Room: core/transaction.
 */
import type { RecordCache, Table } from './cache.ts'
import type { RecordKind } from './record-kind.ts'
import { Turnstile } from './turnstile.ts'

/** A key every commit of a place checks, so that nothing is written through a view that no longer holds. */
export interface Fence {
  readonly key: string
  readonly version: number
}

export interface PlaceRules {
  /** Checked by every commit. */
  readonly fences: () => readonly Fence[]
  /** A commit met a conflict: look again whether the fences still stand. @throws KernelError when the place is gone. */
  readonly moved: () => Promise<void>
}

/**
 * The part of the store one mount may touch: its records lie under `<class>/<id>/`. `id` never changes and holds no path, so moving a
 * mount rewrites nothing.
 */
export class Place {
  readonly id: string
  readonly turnstile = new Turnstile()
  readonly #home: { readonly cache: RecordCache }
  readonly #rules: PlaceRules
  readonly #tables = new Map<unknown, unknown>()

  constructor(id: string, home: { readonly cache: RecordCache }, rules: PlaceRules) {
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

  prefix(kind: { readonly class: string; readonly folder: string }): string {
    return `${kind.class}/${this.id}/${kind.folder}/`
  }
}
