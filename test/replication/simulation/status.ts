/** The replication status of a kernel. */
import type { Kernel } from '../../../src/kernel.ts'
import type { ReplicationKindName } from '../../../src/sys/replication/state/replication-kind.ts'

export interface Status {
  readonly mode: string
  readonly state?: string
  readonly merkle_root?: string
  readonly last_error?: string
  readonly last_remote_wal?: number
  readonly secondary_id?: string
  readonly known_primary_cluster_addrs?: readonly string[]
}

export type RoleFacade = Kernel['replication'] | Kernel['replication']['dr']

export const facadeOf = ({ replication }: Kernel, kind: ReplicationKindName): RoleFacade =>
  kind === 'dr' ? replication.dr : replication

export const statusOf = async (kernel: Kernel, kind: ReplicationKindName = 'performance'): Promise<Status> =>
  (await facadeOf(kernel, kind).readStatus()) as unknown as Status
