/** Keeps the last heartbeat of each secondary, in memory and in the store. The store makes it available to every kernel of the primary. */

import { decodeSlot, RecordSlot } from '../state/records.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { peerRecordId } from './peer-keys.ts'

export interface PeerHeartbeat {
  readonly id: string
  readonly cluster_address: string
  readonly api_address: string
  /** The time of the heartbeat on the primary's clock, in milliseconds. */
  readonly at: number
  readonly applied: number
  /** UUIDs of mounts in which the secondary has leases. */
  readonly leases: readonly string[]
  /** The UUID of the secondary's cluster, as the cluster reports it. */
  readonly cluster: string
}

const MIN_NOTE_INTERVAL_MS = 3000

export class PeerHeartbeats {
  readonly #host: SetHost
  readonly #latest = new Map<string, PeerHeartbeat>()
  readonly #noted = new Map<string, PeerHeartbeat>()

  constructor(host: SetHost) {
    this.#host = host
  }

  async note(heartbeat: PeerHeartbeat): Promise<void> {
    this.#latest.set(heartbeat.id, heartbeat)
    const before = this.#noted.get(heartbeat.id)
    if (before && isUnchanged(before, heartbeat) && Math.abs(heartbeat.at - before.at) < MIN_NOTE_INTERVAL_MS) return
    this.#noted.set(heartbeat.id, heartbeat)
    await this.#host.store.commit([heartbeatSlot(this.#host.kind, heartbeat.id).put(this.#host.store, heartbeat)])
  }

  /**
   * Called when a secondary fetches records after `applied` or acknowledges `applied`. Either request shows that the secondary has all
   * records up to `applied`.
   */
  heard(id: string, applied: number, at: number): void {
    const before = this.#latest.get(id)
    if (before) this.#latest.set(id, { ...before, applied, at })
  }

  async all(): Promise<readonly PeerHeartbeat[]> {
    const found = await this.#host.store.scan(this.#host.kind.heartbeats, () => true)
    const stored = found.flatMap(({ value }) => (value ? [decodeSlot<PeerHeartbeat>(value)] : []))
    return stored.map((heartbeat) => {
      const own = this.#latest.get(heartbeat.id)
      return own && own.at >= heartbeat.at ? own : heartbeat
    })
  }

  forget(id: string): void {
    this.#latest.delete(id)
    this.#noted.delete(id)
  }
}

const isUnchanged = (a: PeerHeartbeat, b: PeerHeartbeat): boolean =>
  a.cluster_address === b.cluster_address && a.api_address === b.api_address && a.cluster === b.cluster

const heartbeatSlot = (kind: ReplicationKind, id: string): RecordSlot<PeerHeartbeat> =>
  new RecordSlot(kind.heartbeats + peerRecordId(id))

export const heartbeatKey = (kind: ReplicationKind, id: string): string => heartbeatSlot(kind, id).key
