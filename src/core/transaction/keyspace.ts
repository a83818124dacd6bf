import { Allowance } from '../base/allowance.ts'
import type { Clock } from '../base/clock.ts'
import type { KeyClass, RecordKind } from '../contract/record-kind.ts'
import type { RecordCache, RecordTable } from './cache.ts'
import { FifoMutex } from './fifo-mutex.ts'

/**
 * The storage key of a record, and the version of that record that every commit of a keyspace expects, so that no commit is based on
 * outdated state.
 */
export interface Fence {
  readonly key: string
  readonly version: number
}

export interface KeyspaceRules {
  /** The fences that every commit checks. */
  readonly fences: () => readonly Fence[]
  /** Called after a conflict to check whether the fences are still valid. @throws KernelError if the keyspace no longer exists. */
  readonly revalidate: () => Promise<void>
  /**
   * The storage key of a record that every commit of the keyspace changes. If there is such a record, writers of this process wait for each
   * other instead of conflicting. As long as this record is unchanged, all other records in the keyspace are unchanged, too. Default: none.
   */
  readonly orderKey?: string
  /** Whether changes of secrets are reported to secret sync. Default: no. */
  readonly isSynced?: () => boolean
  /**
   * Called before a transaction publishes an event. Default: events of all types are permitted. @throws TypeError if the engine does not
   * list the event's type.
   */
  readonly checkEventType?: (type: string) => void
}

/** The parts of the kernel that a keyspace needs. */
interface KeyspaceHost {
  readonly cache: RecordCache
  readonly clock: Clock
}

/**
 * The part of the store that one mount or service may use: all keys that begin with `<class>/<id>/`. `id` never changes and does not depend
 * on the path, so moving a mount rewrites no records.
 */
export class Keyspace {
  readonly id: string
  readonly mutex = new FifoMutex()
  readonly #host: KeyspaceHost
  readonly #rules: KeyspaceRules
  readonly #local: boolean
  readonly #tables = new Map<unknown, unknown>()
  #allowance: Allowance | undefined

  /**
   * @param local Whether performance secondaries must not get the records of the keyspace. Records whose declared class is `r` (replicated
   * to all secondaries) are then stored with class `l` (replicated to DR secondaries only).
   */
  constructor(id: string, host: KeyspaceHost, rules: KeyspaceRules, local = false) {
    this.id = id
    this.#local = local
    this.#host = host
    this.#rules = rules
  }

  get fences(): readonly Fence[] {
    return this.#rules.fences()
  }

  /** Whether changes of secrets are reported to secret sync. Valid as long as the {@link fences} are valid. */
  get isSynced(): boolean {
    return this.#rules.isSynced?.() === true
  }

  /** @throws TypeError if the engine of the keyspace does not list this type of event. */
  checkEventType(type: string): void {
    this.#rules.checkEventType?.(type)
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

  /** The record class with which this keyspace stores a record, or an entry of the due index, whose declared class is `keyClass`. */
  classOf(keyClass: KeyClass): KeyClass {
    return this.#local && keyClass === 'r' ? 'l' : keyClass
  }

  prefix(kind: { readonly class: KeyClass; readonly folder: string }): string {
    return `${this.classOf(kind.class)}/${this.id}/${kind.folder}/`
  }
}
