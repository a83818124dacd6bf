/**
 * The hot path: runs operations that only read records that are cached. Such a run is synchronous, so one `CachedView` per mount serves every
 * request, without allocating or awaiting.
 *
 * If the storage answers synchronously, a run may also load the only record and the only key that it uses. If anything else is not cached,
 * the operation runs in a transaction, which ensures that all records that it reads were in the store at the same time.
 */
import type { Allowance } from '../base/allowance.ts'
import type { CounterKind } from '../contract/counter.ts'
import type { Environment } from '../contract/environment.ts'
import type { RecordKind, SecretKind } from '../contract/record-kind.ts'
import { NEEDS_LOAD, NEEDS_WRITE } from '../contract/signals.ts'
import type { CallBase, TxOf } from '../contract/tx.ts'
import type { Wipeable } from '../crypto/backend.ts'
import type { PinnedKey } from '../crypto/key-cache.ts'
import type { CachedRecord, RecordTable } from './cache.ts'
import { counterId, type StoredCounter } from './counter.ts'
import type { Host } from './host.ts'
import type { Keyspace } from './keyspace.ts'
import { loadRecordNow, loadSecretNow } from './load-now.ts'

export class CachedView<C extends CallBase> implements TxOf<C> {
  readonly env: Environment
  readonly #host: Host
  readonly #keyspace: Keyspace
  #warnings: string[] | undefined
  /** The keys that the current run of an operation uses are the first `#used` entries. All runs use the same array. */
  readonly #keys: PinnedKey<Wipeable>[] = []
  #used = 0
  #recordsRead = 0
  /** The record that this run has loaded. It may then not read another record, which could have an older state. */
  #loaded: CachedRecord<unknown> | undefined
  #call: C | undefined
  /** False if the caches may lack commits of other processes. */
  #usable = false
  /**
   * The counter from which the current run of an operation has taken a use. If the method `once` ends the run afterwards, that method
   * returns the use to the counter, because the next run takes one again.
   */
  #counted: StoredCounter | undefined
  #exhausted: StoredCounter | undefined

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
    this.#recordsRead = 0
    this.#loaded = undefined
    this.#counted = undefined
    this.#exhausted = undefined
  }

  /** The counter that had no reserved use left. If it is defined, the run ended for this reason alone. */
  get exhausted(): StoredCounter | undefined {
    return this.#exhausted
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
    if (!this.#usable) throw NEEDS_LOAD
    const table = this.#keyspace.table(kind)
    const cached = table.entries.get(id)
    if (cached) table.hits++
    const hit = cached ?? this.#loadRecord(table, id)
    if (this.#loaded && this.#loaded !== hit) throw NEEDS_LOAD
    hit.used = true
    this.#recordsRead++
    return hit.value
  }

  #loadRecord<T>(table: RecordTable<T>, id: string): CachedRecord<T> {
    const loaded = this.#recordsRead === 0 ? loadRecordNow(this.#host, table, id) : undefined
    if (!loaded) throw NEEDS_LOAD
    this.#loaded = loaded
    return loaded
  }

  secret<K extends Wipeable, X>(
    kind: SecretKind,
    owner: string,
    version: number,
    build: (bytes: Uint8Array, context: X) => K,
    context: X,
  ): K | undefined {
    if (!this.#usable) throw NEEDS_LOAD
    const hit = this.#host.keys.get(owner, version) ?? this.#loadSecret(kind, owner, version, build, context)
    this.#keys[this.#used++] = hit
    return hit.value as K
  }

  /** Loads the key if it is the first of this run, because adding a key to the cache may evict another. */
  #loadSecret<K extends Wipeable, X>(
    kind: SecretKind,
    owner: string,
    version: number,
    build: (bytes: Uint8Array, context: X) => K,
    context: X,
  ): PinnedKey<Wipeable> {
    const key = `${this.#keyspace.prefix(kind)}${owner}/${version}`
    const loaded = this.#used === 0 ? loadSecretNow(this.#host, kind, key, owner, version, build, context) : undefined
    if (!loaded) throw NEEDS_LOAD
    return loaded
  }

  listAbandoned(): never {
    throw NEEDS_LOAD
  }

  counter(kind: CounterKind, owner: string, version: number): StoredCounter {
    return this.#host.counters.of(this.#keyspace, kind, owner, version)
  }

  countUse(counter: StoredCounter): void {
    if (!counter.take()) {
      if (counter.spent) throw counter.limitError()
      this.#exhausted = counter
      throw NEEDS_LOAD
    }
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
