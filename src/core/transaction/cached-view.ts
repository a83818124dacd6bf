/**
 * The hot path: runs operations that only read records that are all cached. Such a run is synchronous, so one `CachedView` per mount serves
 * every request, without allocating or awaiting. If a record is not cached, the operation runs in a transaction.
 */
import type { Allowance } from '../base/allowance.ts'
import type { CounterKind } from '../contract/counter.ts'
import type { Environment } from '../contract/environment.ts'
import type { RecordKind, SecretKind } from '../contract/record-kind.ts'
import { NEEDS_LOAD, NEEDS_WRITE } from '../contract/signals.ts'
import type { CallBase, TxOf } from '../contract/tx.ts'
import type { Wipeable } from '../crypto/backend.ts'
import type { PinnedKey } from '../crypto/key-cache.ts'
import { counterId, type StoredCounter } from './counter.ts'
import type { Host } from './host.ts'
import type { Keyspace } from './keyspace.ts'

export class CachedView<C extends CallBase> implements TxOf<C> {
  readonly env: Environment
  readonly #host: Host
  readonly #keyspace: Keyspace
  #warnings: string[] | undefined
  /** The keys that the current run of an operation uses are the first `#used` entries. All runs use the same array. */
  readonly #keys: PinnedKey<Wipeable>[] = []
  #used = 0
  #call: C | undefined
  /** False if the caches may lack commits of other processes. */
  #usable = false
  /**
   * The counter from which the current run of an operation has taken a use. If the method `once` ends the run afterwards, that method
   * returns the use to the counter, because the next run takes one again.
   */
  #counted: StoredCounter | undefined

  constructor(host: Host, keyspace: Keyspace) {
    this.env = host.env
    this.#host = host
    this.#keyspace = keyspace
  }

  get call(): C {
    return this.#call as C
  }

  /**
   * Begins a run of an operation.
   * @param isFresh Whether the caches were found to be fresh in this turn of the event loop.
   */
  begin(call: C, isFresh = false): void {
    this.#call = call
    this.#usable = isFresh || this.#host.freshness.isFresh()
    this.#warnings = undefined
    this.#used = 0
    this.#counted = undefined
  }

  get warnings(): readonly string[] | undefined {
    return this.#warnings
  }

  /** Pins the keys that this run used, for work that continues after the run. The caller must unpin them. */
  pinUsed(): readonly PinnedKey<Wipeable>[] {
    return this.#keys.slice(0, this.#used).map((key) => key.pin())
  }

  get now(): number {
    return this.#host.clock.now()
  }

  get<T>(kind: RecordKind<T>, id: string): T | undefined {
    const hit = this.#keyspace.table(kind).entries.get(id)
    if (!hit || !this.#usable) throw NEEDS_LOAD
    hit.used = true
    return hit.value
  }

  secret<K extends Wipeable>(_kind: SecretKind, owner: string, version: number): K | undefined {
    const hit = this.#host.keys.get(owner, version)
    if (!hit || !this.#usable) throw NEEDS_LOAD
    this.#keys[this.#used++] = hit
    return hit.value as K
  }

  listAbandoned(): never {
    throw NEEDS_LOAD
  }

  counter(kind: CounterKind, owner: string, version: number): StoredCounter {
    return this.#host.counters.of(this.#keyspace, kind, owner, version)
  }

  countUse(counter: StoredCounter): void {
    if (!counter.take()) throw counter.spent ? counter.limitError() : NEEDS_LOAD
    this.#counted = counter
    if (counter.near) this.warn(counter.kind.near)
  }

  useCounts(kind: CounterKind, owner: string, versions: readonly number[]): readonly number[] {
    const { counters } = this.#host
    return versions.map((version) => {
      const counter = counters.find(this.#keyspace, kind, owner, version)
      if (counter?.busy) throw NEEDS_LOAD
      const stored = this.get(kind.record, counterId(owner, version))?.count ?? 0
      return counter?.usedOf(stored) ?? stored
    })
  }

  allowance(perSecond: number, most: number): Allowance {
    return this.#keyspace.allowance(perSecond, most)
  }

  recordRead(): never {
    throw NEEDS_LOAD
  }

  dependOn(): never {
    throw NEEDS_LOAD
  }

  list(): never {
    throw NEEDS_LOAD
  }

  once(): never {
    this.#counted?.putBack(1)
    throw NEEDS_LOAD
  }

  steps(): never {
    return this.once()
  }

  put(): never {
    throw NEEDS_WRITE
  }

  delete(): never {
    throw NEEDS_WRITE
  }

  putSecret(): never {
    throw NEEDS_WRITE
  }

  putSecrets(): never {
    throw NEEDS_WRITE
  }

  deleteSecret(): never {
    throw NEEDS_WRITE
  }

  deleteCounter(): never {
    throw NEEDS_WRITE
  }

  forget(): never {
    throw NEEDS_WRITE
  }

  due(): never {
    throw NEEDS_WRITE
  }

  event(): never {
    throw NEEDS_WRITE
  }

  secretChanged(): never {
    throw NEEDS_WRITE
  }

  lease(): never {
    throw NEEDS_WRITE
  }

  previewLease(): never {
    throw NEEDS_WRITE
  }

  login(): never {
    throw NEEDS_WRITE
  }

  warn(message: string): void {
    this.#warnings ??= []
    this.#warnings.push(message)
  }
}
