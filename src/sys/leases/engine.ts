import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { Leases } from './api.ts'
import { leaseOperations, leasePathOperations } from './index.ts'

export type { Leases }

/** The facades of kernels with leases. */
export interface LeasesFacades {
  /** Leases of secrets and of tokens. */
  readonly leases: Leases
}

const PART = engineValue<LeasesFacades>({
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: { ...leaseOperations, ...leasePathOperations },
  due: {},
  facades: { leases: { path: 'sys/', operations: leaseOperations } },
})

/** Leases of secrets and of tokens: `sys/leases`, and the facade `kernel.leases`. */
export const leases = (): EngineValue<LeasesFacades> => PART
