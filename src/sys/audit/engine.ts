import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { Audit } from './api.ts'
import { auditOperations } from './index.ts'

export type { Audit }

/** The facades of kernels with an audit log. */
export interface AuditFacades {
  /** Audit devices. */
  readonly audit: Audit
}

const PART = engineValue<AuditFacades>({
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: auditOperations,
  due: {},
  facades: { audit: { path: 'sys/', operations: auditOperations } },
})

/** The audit log: the devices at `sys/audit`, and the facade `kernel.audit`. */
export const audit = (): EngineValue<AuditFacades> => PART
