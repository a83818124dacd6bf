import type { Host } from '../../../core/transaction/host.ts'
import type { ReplicationKind } from './replication-kind.ts'

export interface SetHost extends Host {
  readonly kind: ReplicationKind
}

export const setHost = (host: Host, kind: ReplicationKind): SetHost => ({ ...host, kind })
