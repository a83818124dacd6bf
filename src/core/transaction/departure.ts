/**
 * A commit on its way: what the caches have to know of it before it leaves and when it returns.
 */
import type { Op, Revision } from '../storage/port.ts'
import type { Flight } from './cache.ts'
import type { Host } from './host.ts'
import type { MadeKeys } from './made-keys.ts'
import type { Writes } from './writes.ts'

/** What a run leaves to its commit. */
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

  /** From here on the caches note what others do to the keys that are written. */
  constructor(host: Host, cargo: Cargo) {
    this.#host = host
    this.#cargo = cargo
    this.#flights = new Map([...cargo.writes.keys()].map((key) => [key, host.cache.depart(key)]))
    this.#generation = host.keys.generation
  }

  /** Caches first, so that nobody who learns of the commit reads what was before. */
  arrived(revision: Revision): void {
    const { cache, freshness, keys } = this.#host
    const { writes, made, forgotten } = this.#cargo
    // A store whose watch has told of it already need not tell twice.
    if (freshness.applied < revision) {
      cache.apply({ revision, keys: [...writes.keys()] })
      freshness.committed(revision)
    }
    for (const [key, { record }] of writes) {
      if (record?.value !== undefined)
        cache.put(record.table, record.id, revision, record.value, this.#flights.get(key) as Flight)
    }
    // A seal during the commit dropped all keys; these must not come back after it.
    if (this.#generation === keys.generation) made.adopt(keys)
    for (const owner of forgotten) keys.drop(owner)
  }

  /** It did not take effect, or nobody knows: what the caches hold of all that it wrote and relied on is worth nothing now. */
  doubt(ops: readonly Op[]): void {
    this.#host.cache.apply({ revision: Number.POSITIVE_INFINITY, keys: ops.flatMap((op) => ('key' in op ? [op.key] : [])) })
  }

  land(): void {
    for (const [key, flight] of this.#flights) this.#host.cache.land(key, flight)
  }
}
