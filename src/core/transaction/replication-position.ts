/**
 * A cluster's position in the history of its replication set. With it, a client can read on one cluster what it wrote on another.
 */

/**
 * `here`: this cluster has the position. `late`: it does not have it yet. `lost`: the set's history does not include it, because a primary
 * was replaced by force.
 */
export type PositionStatus = 'here' | 'late' | 'lost'

export interface ReplicationPosition {
  /** The position that an answer created now includes: `<cluster>.<epoch>.<index>`; undefined outside a set. */
  current(): string | undefined
  /**
   * Waits for a limited time until this cluster has a position that another cluster reported. `own`: the position is one of this cluster.
   */
  waitFor(position: {
    readonly cluster: string
    readonly epoch: number
    readonly index: number
  }): Promise<PositionStatus> | 'own' | 'here'
}

/** Part of `Host`. `source` is undefined without replication. */
export class ReplicationPositionSource {
  source: ReplicationPosition | undefined
}
