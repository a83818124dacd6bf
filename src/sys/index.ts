/**
 * The operations of the kernel itself, at `sys/` of every namespace.
 */
import type { Engine } from '../core/contract/engine.ts'
import { auditOperations } from './audit/index.ts'
import { capabilityOperations } from './capabilities/index.ts'
import { generateOperationToken, generateRoot, generateTokenPathOperations } from './generate-root/index.ts'
import { leaseOperations, leasePathOperations } from './leases/index.ts'
import { mountOperations, mountPathOperations } from './mounts/index.ts'
import { namespaceOperations } from './namespaces/index.ts'
import { openApiOperations } from './openapi.ts'
import { passwordOperations } from './passwords/index.ts'
import { oldPolicyOperations, policyOperations } from './policies/index.ts'
import { barrierRekey, recoveryRekey, rekeyPathOperations } from './rekey/index.ts'
import { rotateOperations, rotatePathOperations } from './rotate/index.ts'
import { sealOperations } from './seal/index.ts'
import { statusOperations } from './status/index.ts'
import { wrappingOperations, wrappingPathOperations } from './wrapping/index.ts'

export {
  auditOperations,
  barrierRekey,
  capabilityOperations,
  generateOperationToken,
  generateRoot,
  leaseOperations,
  mountOperations,
  namespaceOperations,
  passwordOperations,
  policyOperations,
  recoveryRekey,
  rotateOperations,
  statusOperations,
  wrappingOperations,
}

export const system = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: {
    ...statusOperations,
    ...sealOperations,
    ...rekeyPathOperations,
    ...generateTokenPathOperations,
    ...rotateOperations,
    ...rotatePathOperations,
    ...policyOperations,
    ...passwordOperations,
    ...oldPolicyOperations,
    ...capabilityOperations,
    ...mountPathOperations,
    ...mountOperations,
    ...namespaceOperations,
    ...openApiOperations,
    ...wrappingOperations,
    ...wrappingPathOperations,
    ...leaseOperations,
    ...leasePathOperations,
    ...auditOperations,
  },
  due: {},
} satisfies Engine
