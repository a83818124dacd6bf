/**
 * The objects that operations of `sys/` may use in addition to records: the state of this process, and the actions that change this state.
 */
import { KernelService } from '../contract/kernel-service.ts'
import type { KernelState } from '../exchange/gate.ts'
import type { ReplicationMode } from '../log/role.ts'
import type { ClusterIdentity } from './cluster.ts'
import type { Sealing } from './sealing.ts'

/** The replication state that every caller may see. */
export interface ReplicationSummary {
  readonly mode: ReplicationMode
  /** The role of this cluster in the disaster recovery set. */
  readonly dr: ReplicationMode
  /** The index of the newest entry of the replication log. Absent without replication, and while the store does not answer. */
  readonly last_wal?: number
}

export interface Controls {
  readonly state: () => KernelState
  readonly sealing: Sealing
  /** The identity of this cluster; undefined while the kernel is sealed. */
  readonly cluster: () => ClusterIdentity | undefined
  /** The roles of this cluster in replication sets. */
  readonly replication: () => Promise<ReplicationSummary>
  readonly storage: { readonly durable: boolean; readonly shared: boolean }
  /** Whether the store answers. Waits for at most one second. */
  readonly reachable: () => Promise<boolean>
}

/** The controls of the kernel in which an operation runs. */
export const CONTROLS = /* @__PURE__ */ new KernelService<Controls>()
