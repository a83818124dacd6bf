export interface ClusterIdentity {
  readonly id: string
  readonly name: string
}
