import { CallerPolicies } from '../../core/access/caller-policies.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import type { CapabilityApi } from '../capabilities/generated/api.ts'
import { capabilityOperations } from '../capabilities/index.ts'
import { addJob, POLICY_JOB } from '../jobs.ts'
import type { PasswordApi } from '../passwords/generated/api.ts'
import { passwordOperations } from '../passwords/index.ts'
import { deletePolicy } from './delete-policy.ts'
import { endPolicy } from './end-policy.ts'
import { explain } from './explain.ts'
import type { PolicyApi } from './generated/api.ts'
import { listPolicies } from './list-policies.ts'
import { deleteOld, listOld, readAllOld, readOld, writeOld } from './old-paths.ts'
import { readPolicy } from './read-policy.ts'
import { writePolicy } from './write-policy.ts'

export const policyOperations = { readPolicy, writePolicy, deletePolicy, listPolicies, explain }

/** The policy operations at `sys/policy`, the path in Vault's first releases. */
const oldPolicyOperations = { readOld, writeOld, deleteOld, listOld, readAllOld }

/** Policies and capabilities; password policies and generated passwords. */
export interface Policies extends PolicyApi, PasswordApi, CapabilityApi {}

/** The facades of kernels with policies. */
export interface PoliciesFacades {
  /** Policies and capabilities; password policies and generated passwords. */
  readonly policies: Policies
}

const OPERATIONS = { ...policyOperations, ...passwordOperations, ...capabilityOperations }

const PART = engineValue<PoliciesFacades>({
  part: 'policies',
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: { ...OPERATIONS, ...oldPolicyOperations },
  due: {},
  attach: ({ host, authority }: KernelInternals) => {
    authority.acls = new CallerPolicies(host)
    addJob(host.env, POLICY_JOB, endPolicy)
  },
  facades: { policies: { path: 'sys/', operations: OPERATIONS } },
})

/** Policies and capabilities, and password policies: `sys/policies`, `sys/capabilities`, and the facade `kernel.policies`. */
export const policies = (): EngineValue<PoliciesFacades> => PART
