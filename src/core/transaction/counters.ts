/**
 * All counters of a kernel, by the key version whose uses they count. A counter remains when its key is evicted from the cache, so loading
 * the key again needs no new reservation.
 */
import type { CounterKind } from '../contract/counter.ts'
import type { Op } from '../storage/port.ts'
import { type CounterRegistry, counterId, StoredCounter } from './counter.ts'
import type { Keyspace } from './keyspace.ts'
import { Reservations } from './reservations.ts'

/** The maximum number of counters kept in memory. If there are more, the oldest counter returns its unused reservation and is removed. */
const MAX_COUNTERS = 65_536

/** The number of counters that return their reservations in one commit; well below any storage's limit. */
const COUNTERS_PER_COMMIT = 64

export class Counters implements CounterRegistry {
  readonly host: CounterRegistry['host']
  readonly reservations: Reservations
  readonly #byKey = new Map<string, StoredCounter>()
  readonly #running = new Set<Promise<unknown>>()

  constructor(host: CounterRegistry['host']) {
    this.host = host
    this.reservations = new Reservations(host.store)
  }

  /**
   * Returns the counter of a key version. A kernel has one counter per key version, even if the key was evicted from the cache and loaded
   * again.
   */
  of(keyspace: Keyspace, kind: CounterKind, owner: string, version: number): StoredCounter {
    const known = this.find(keyspace, kind, owner, version)
    if (known) return known
    const created = new StoredCounter(this, keyspace, kind, owner, version)
    this.keep(created)
    return created
  }

  find(keyspace: Keyspace, kind: CounterKind, owner: string, version: number): StoredCounter | undefined {
    return this.#byKey.get(keyspace.prefix(kind.record) + counterId(owner, version))
  }

  keep(counter: StoredCounter): void {
    this.#byKey.set(counter.key, counter)
    if (this.#byKey.size <= MAX_COUNTERS) return
    const [oldest] = this.#byKey.values()
    if (!oldest) return
    this.#byKey.delete(oldest.key)
    if (oldest.left > 0) this.track(this.#giveBack([oldest]).catch(() => {}))
  }

  track(work: Promise<unknown>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  /** Resolves when no reservation is in progress. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running])
  }

  /**
   * Drops all counters without returning reservations, because the records of another cluster are about to replace this cluster's records.
   */
  forget(): void {
    this.#byKey.clear()
  }

  /** Waits for reservations in progress, and then returns unused reservations. Reservations that cannot be returned count as used. */
  async release(): Promise<void> {
    await this.idle()
    const all = [...this.#byKey.values()].filter(({ left }) => left > 0)
    this.#byKey.clear()
    const step = Math.min(COUNTERS_PER_COMMIT, this.host.store.storage.caps.maxOps)
    for (let at = 0; at < all.length; at += step) await this.#giveBack(all.slice(at, at + step))
  }

  async #giveBack(counters: readonly StoredCounter[]): Promise<void> {
    const { store, cache } = this.host
    const back = counters.map((counter) => [counter, counter.empty()] as const)
    for (let attempt = 1; attempt <= 3; attempt++) {
      const records = await store.getMany(back.map(([{ key }]) => key))
      const ops = back.flatMap(([counter, left], index): Op[] => {
        const record = records[index]
        // Without a record, the key version was deleted together with its counter.
        return record ? [store.encryptedPut(counter.key, counter.lowered(record.value, left), record.version)] : []
      })
      if (ops.length === 0) return
      const verdict = await store.commit(ops)
      if (verdict.ok) return cache.apply({ revision: verdict.revision, keys: back.map(([{ key }]) => key) })
    }
  }
}
