/**
 * What all transactions of a kernel share, and what those of one mount share.
 * Room: core/transaction. Imported by the request layer, tick and the composition root.
 */
import { Allowance } from '../allowance.ts'
import type { LoginWish } from '../auth/login/terms.ts'
import type { Auth } from '../auth/token/auth-reply.ts'
import type { Clock } from '../clock.ts'
import type { Wipeable } from '../crypto/backend.ts'
import type { KeyCache } from '../crypto/pins.ts'
import type { EventBus } from '../events/bus.ts'
import type { Freshness } from '../freshness/freshness.ts'
import type { Leased, LeaseWish } from '../lease/terms.ts'
import type { RecordCache, Table } from './cache.ts'
import type { Counters } from './counters.ts'
import type { RecordKind } from './record-kind.ts'
import type { Store } from './store.ts'
import { Turnstile } from './turnstile.ts'
import type { Environment, Tx } from './tx.ts'

export interface Host {
  readonly env: Environment
  readonly clock: Clock
  readonly store: Store
  readonly cache: RecordCache
  readonly keys: KeyCache<Wipeable>
  /** Whether the two may be used. */
  readonly freshness: Freshness
  readonly counters: Counters
  /** Learn of what was committed. */
  readonly events: EventBus
  /** What `tx.lease` does; it rests on more than transactions know. */
  readonly issueLease: (tx: Tx, wish: LeaseWish) => Leased
  /** The same of `tx.login`. */
  readonly issueLogin: (tx: Tx, wish: LoginWish) => Auth
}

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
  readonly #host: Host
  readonly #rules: PlaceRules
  readonly #tables = new Map<unknown, unknown>()
  #allowance: Allowance | undefined

  constructor(id: string, host: Host, rules: PlaceRules) {
    this.id = id
    this.#host = host
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
    const table = this.#host.cache.table(kind, this.prefix(kind))
    this.#tables.set(kind, table)
    return table
  }

  /** @see Tx.allowance */
  allowance(perSecond: number, most: number): Allowance {
    this.#allowance ??= new Allowance(this.#host.clock, perSecond, most)
    return this.#allowance
  }

  prefix(kind: { readonly class: string; readonly folder: string }): string {
    return `${kind.class}/${this.id}/${kind.folder}/`
  }
}
