/**
 * A cluster's position in the history of its replication set. With it, a client can read on one cluster what it wrote on another.
 */

/**
 * `here`: this cluster has the position. `late`: it does not have it yet. `lost`: the position is not in the history of the set, because
 * the primary was replaced by force.
 */
export type PositionStatus = 'here' | 'late' | 'lost'

export interface ReplicationPosition {
  /** The position that a response created now includes: `<cluster>.<epoch>.<index>`; undefined if the cluster is not in a set. */
  current(): string | undefined
  /**
   * Waits for a limited time until this cluster has a position that another cluster has reported. `own`: whether the position was reported
   * by this cluster.
   */
  waitFor(position: {
    readonly cluster: string
    readonly epoch: number
    readonly index: number
  }): Promise<PositionStatus> | 'own' | 'here'
}

/** A part of `Host`. `source` is undefined without replication. */
export class ReplicationPositionSource {
  source: ReplicationPosition | undefined
}
