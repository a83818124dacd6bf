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
  /**
   * Returns the position to put into a response that is created now: `<cluster>.<epoch>.<index>`. Undefined if the cluster is not in a set.
   */
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

/** The member `replicationPosition` of `Host`. Its `source` is undefined if the cluster is not replicated. */
export class ReplicationPositionSource {
  source: ReplicationPosition | undefined
}
