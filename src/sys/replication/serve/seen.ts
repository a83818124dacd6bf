/**
 * When secondaries were last heard, and where they stand: noted in the store, so that every kernel of the primary can tell.
 */

import type { Kind } from '../state/kind.ts'
import { decode, Sheet } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { peerRecordId } from './peer-keys.ts'

export interface Seen {
  readonly id: string
  readonly cluster_address: string
  readonly api_address: string
  /** Milliseconds. */
  readonly at: number
  readonly applied: number
  /** UUIDs of mounts that it has leases of. */
  readonly leases: readonly string[]
  /** UUID of the cluster, as it says itself; absent in records of before it did. */
  readonly cluster?: string
}

const NOTE_EVERY_MS = 3000

export class SeenPeers {
  readonly #host: SetHost
  readonly #latest = new Map<string, Seen>()
  readonly #noted = new Map<string, Seen>()

  constructor(host: SetHost) {
    this.#host = host
  }

  async note(seen: Seen): Promise<void> {
    this.#latest.set(seen.id, seen)
    const before = this.#noted.get(seen.id)
    if (before && isAsFound(before, seen) && Math.abs(seen.at - before.at) < NOTE_EVERY_MS) return
    this.#noted.set(seen.id, seen)
    await this.#host.store.commit([sheet(this.#host.kind, seen.id).put(this.#host.store, seen)])
  }

  /** A secondary asks for what is behind this index, so it has everything up to it. */
  heard(id: string, applied: number, at: number): void {
    const before = this.#latest.get(id)
    if (before) this.#latest.set(id, { ...before, applied, at })
  }

  async all(): Promise<readonly Seen[]> {
    const found = await this.#host.store.scan(this.#host.kind.seen, () => true)
    const stored = found.flatMap(({ value }) => (value ? [decode<Seen>(value)] : []))
    return stored.map((seen) => {
      const own = this.#latest.get(seen.id)
      return own && own.at >= seen.at ? own : seen
    })
  }

  forget(id: string): void {
    this.#latest.delete(id)
    this.#noted.delete(id)
  }
}

const isAsFound = (a: Seen, b: Seen): boolean =>
  a.cluster_address === b.cluster_address && a.api_address === b.api_address && a.cluster === b.cluster

const sheet = (kind: Kind, id: string): Sheet<Seen> => new Sheet(kind.seen + peerRecordId(id))

export const seenKey = (kind: Kind, id: string): string => sheet(kind, id).key
