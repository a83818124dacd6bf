import { Allowance } from '../base/allowance.ts'
import type { Clock } from '../base/clock.ts'
import type { KeyClass, RecordKind } from '../contract/record-kind.ts'
import type { RecordCache, RecordTable } from './cache.ts'
import { FifoMutex } from './fifo-mutex.ts'

/** A key whose version is checked by every commit of a keyspace, so that no commit is based on outdated state. */
export interface Fence {
  readonly key: string
  readonly version: number
}

export interface KeyspaceRules {
  /** Checked by every commit. */
  readonly fences: () => readonly Fence[]
  /** Called after a conflict to check whether the fences are still valid. @throws KernelError when the keyspace is gone. */
  readonly revalidate: () => Promise<void>
  /**
   * The key of a record that every commit changes. Writers then queue instead of conflicting, and if this record is unchanged, nothing else
   * in the keyspace has changed. Default: none.
   */
  readonly orderKey?: string
  /** Whether changed secrets are reported to secret sync. Default: no. */
  readonly isSynced?: () => boolean
}

/** The parts of the kernel that a keyspace needs. */
interface KeyspaceHost {
  readonly cache: RecordCache
  readonly clock: Clock
}

/**
 * The part of the store that one mount or service may use: all keys that begin with `<class>/<id>/`. `id` never changes and does not depend
 * on the path, so moving a mount rewrites nothing.
 */
export class Keyspace {
  readonly id: string
  readonly mutex = new FifoMutex()
  readonly #host: KeyspaceHost
  readonly #rules: KeyspaceRules
  readonly #local: boolean
  readonly #tables = new Map<unknown, unknown>()
  #allowance: Allowance | undefined

  /** @param local Whether nothing in it is replicated: records declared as class `r` are then stored in class `l`. */
  constructor(id: string, host: KeyspaceHost, rules: KeyspaceRules, local = false) {
    this.id = id
    this.#local = local
    this.#host = host
    this.#rules = rules
  }

  get fences(): readonly Fence[] {
    return this.#rules.fences()
  }

  /** Valid as long as {@link fences} are. */
  get isSynced(): boolean {
    return this.#rules.isSynced?.() === true
  }

  get orderKey(): string | undefined {
    return this.#rules.orderKey
  }

  revalidate(): Promise<void> {
    return this.#rules.revalidate()
  }

  table<T>(kind: RecordKind<T>): RecordTable<T> {
    const known = this.#tables.get(kind)
    if (known) return known as RecordTable<T>
    const table = this.#host.cache.table(kind, this.prefix(kind))
    this.#tables.set(kind, table)
    return table
  }

  /** See `Tx.allowance`. */
  allowance(perSecond: number, most: number): Allowance {
    this.#allowance ??= new Allowance(this.#host.clock, perSecond, most)
    return this.#allowance
  }

  /** The class in which this keyspace stores a record or due entry whose declared class is `keyClass`. */
  classOf(keyClass: KeyClass): KeyClass {
    return this.#local && keyClass === 'r' ? 'l' : keyClass
  }

  prefix(kind: { readonly class: KeyClass; readonly folder: string }): string {
    return `${this.classOf(kind.class)}/${this.id}/${kind.folder}/`
  }
}
