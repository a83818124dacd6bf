/**
 * What the system's operations may use beside records: the state of this process, and the actions that change it.
 */
import { KernelService } from '../contract/kernel-service.ts'
import type { KernelState } from '../exchange/gate.ts'
import type { Mode } from '../log/role.ts'
import type { ClusterIdentity } from './cluster.ts'
import type { Sealing } from './sealing.ts'

/** As told to everybody. */
export interface ReplicationSummary {
  readonly mode: Mode
  /** The same in the set for disaster recovery. */
  readonly dr: Mode
  /** The index of the newest record in the log; absent without replication, and where the store cannot be asked. */
  readonly last_wal?: number
}

export interface Controls {
  /** The state of this process. */
  readonly state: () => KernelState
  readonly sealing: Sealing
  /** Undefined while sealed. */
  readonly cluster: () => ClusterIdentity | undefined
  /** What this cluster is among others. */
  readonly replication: () => Promise<ReplicationSummary>
  readonly storage: { readonly durable: boolean; readonly shared: boolean }
  /** Asks the store whether it answers, for a second at most. */
  readonly reachable: () => Promise<boolean>
}

/** The controls of the kernel that an operation runs in. */
export const CONTROLS = /* @__PURE__ */ new KernelService<Controls>()
