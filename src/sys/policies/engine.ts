import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { CapabilityApi } from '../capabilities/api.ts'
import { capabilityOperations } from '../capabilities/index.ts'
import type { PasswordApi } from '../passwords/api.ts'
import { passwordOperations } from '../passwords/index.ts'
import type { PolicyApi } from './api.ts'
import { oldPolicyOperations, policyOperations } from './index.ts'

/** Policies and capabilities; password policies and generated passwords. */
export interface Policies extends PolicyApi, PasswordApi, CapabilityApi {}

/** The facades of kernels with policies. */
export interface PoliciesFacades {
  /** Policies and capabilities; password policies and generated passwords. */
  readonly policies: Policies
}

const OPERATIONS = { ...policyOperations, ...passwordOperations, ...capabilityOperations }

const PART = engineValue<PoliciesFacades>({
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: { ...OPERATIONS, ...oldPolicyOperations },
  due: {},
  facades: { policies: { path: 'sys/', operations: OPERATIONS } },
})

/** Policies and capabilities, and password policies: `sys/policies`, `sys/capabilities`, and the facade `kernel.policies`. */
export const policies = (): EngineValue<PoliciesFacades> => PART
