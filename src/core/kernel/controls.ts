/**
 * What the system's operations may use beside records: the state of this process, and the actions that change it.
 */
import { Part } from '../contract/part.ts'
import type { KernelState } from '../request/gate.ts'
import type { ClusterIdentity } from './cluster.ts'
import type { Sealing } from './sealing.ts'

export interface Controls {
  /** The state of this process. */
  readonly state: () => KernelState
  readonly sealing: Sealing
  /** Undefined while sealed. */
  readonly cluster: () => ClusterIdentity | undefined
  readonly storage: { readonly durable: boolean; readonly shared: boolean }
}

/** The controls of the kernel that an operation runs in. */
export const CONTROLS = /* @__PURE__ */ new Part<Controls>()
