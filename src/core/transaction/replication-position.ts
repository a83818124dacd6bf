/**
 * A cluster's position in the history of its replication set. A client that wrote on one cluster can use the position to read that write on
 * another cluster.
 */

/**
 * `here`: this cluster has applied the position. `late`: it has not applied the position yet. `lost`: the position is not in the history of
 * the set, because the primary was replaced by force.
 */
export type PositionStatus = 'here' | 'late' | 'lost'

export interface ReplicationPosition {
  /** The position that a response created now contains: `<cluster>.<epoch>.<index>`; undefined if the cluster is not in a set. */
  current(): string | undefined
  /**
   * Waits for a limited time until this cluster has applied a position that another cluster has reported. Returns `own` if this cluster
   * itself reported the position.
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
