/**
 * A commit under way: what the caches have to know before it leaves and when it returns.
 */
import type { Op, Revision } from '../storage/port.ts'
import type { Flight } from './cache.ts'
import type { Host } from './host.ts'
import type { MadeKeys } from './made-keys.ts'
import type { Writes } from './writes.ts'

/** What a run hands to its commit. */
export interface Cargo {
  readonly writes: Writes
  readonly made: MadeKeys
  /** Owners whose keys leave the cache. */
  readonly forgotten: readonly string[]
}

export class Departure {
  readonly #host: Host
  readonly #cargo: Cargo
  readonly #flights: ReadonlyMap<string, Flight>
  readonly #generation: number

  /** From here on the caches note what others do to the written keys. */
  constructor(host: Host, cargo: Cargo) {
    this.#host = host
    this.#cargo = cargo
    this.#flights = new Map([...cargo.writes.keys()].map((key) => [key, host.cache.depart(key)]))
    this.#generation = host.keys.generation
  }

  /** Updates the caches before anybody can learn of the commit, so that nobody reads what was before. */
  arrived(revision: Revision): void {
    const { cache, freshness, keys } = this.#host
    const { writes, made, forgotten } = this.#cargo
    // Where the watch has told of the commit already, the caches are up to date.
    if (freshness.applied < revision) {
      cache.apply({ revision, keys: [...writes.keys()] })
      freshness.committed(revision)
    }
    for (const [key, { record }] of writes) {
      if (record?.value !== undefined)
        cache.put(record.table, record.id, revision, record.value, this.#flights.get(key) as Flight)
    }
    // A seal during the commit dropped all keys; the keys of this run must not come back after it.
    if (this.#generation === keys.generation) made.adopt(keys)
    for (const owner of forgotten) keys.drop(owner)
  }

  /** The commit failed or its outcome is unknown: all that the caches hold of the keys it wrote and relied on is dropped. */
  doubt(ops: readonly Op[]): void {
    this.#host.cache.apply({ revision: Number.POSITIVE_INFINITY, keys: ops.flatMap((op) => ('key' in op ? [op.key] : [])) })
  }

  land(): void {
    for (const [key, flight] of this.#flights) this.#host.cache.land(key, flight)
  }
}
