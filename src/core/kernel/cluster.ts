/**
 * The identity of a store.
 */

export interface ClusterIdentity {
  readonly id: string
  readonly name: string
}
