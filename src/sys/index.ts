/**
 * The system's own operations, at `sys/` of every namespace. Room: sys. Imported by the composition root.
 */
import type { Engine } from '../core/mount/engine.ts'
import { capabilityOperations } from './capabilities/index.ts'
import { leaseOperations, leasePathOperations } from './leases/index.ts'
import { mountOperations, mountPathOperations } from './mounts/index.ts'
import { namespaceOperations } from './namespaces/index.ts'
import { oldPolicyOperations, policyOperations } from './policies/index.ts'
import { statusOperations } from './status/index.ts'

export { capabilityOperations, leaseOperations, mountOperations, namespaceOperations, policyOperations, statusOperations }

export const system = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: {
    ...statusOperations,
    ...policyOperations,
    ...oldPolicyOperations,
    ...capabilityOperations,
    ...mountPathOperations,
    ...mountOperations,
    ...namespaceOperations,
    ...leaseOperations,
    ...leasePathOperations,
  },
  due: {},
} satisfies Engine
