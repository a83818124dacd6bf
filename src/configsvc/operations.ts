/** All operations of the service, by facade. */
import { authMethodOperations } from './acl/auth-methods/operations.ts'
import { bindingRuleOperations } from './acl/binding-rules/operations.ts'
import { decisionOperations } from './acl/decisions/operations.ts'
import { loginOperations } from './acl/login/operations.ts'
import { aclPolicyOperations } from './acl/policies/operations.ts'
import { aclRoleOperations } from './acl/roles/operations.ts'
import { templatedPolicyOperations } from './acl/templated/operations.ts'
import { bootstrapOperations } from './acl/tokens/bootstrap.ts'
import { aclTokenOperations } from './acl/tokens/operations.ts'
import { entryOperations } from './entries/operations/operations.ts'
import type { AnyConfigOperation, ConfigOperations } from './operation.ts'

export const FACADES = {
  acl: { ...bootstrapOperations, ...decisionOperations },
  policies: aclPolicyOperations,
  tokens: aclTokenOperations,
  roles: aclRoleOperations,
  authMethods: authMethodOperations,
  bindingRules: bindingRuleOperations,
  templatedPolicies: templatedPolicyOperations,
  entries: entryOperations,
} as const satisfies Readonly<Record<string, ConfigOperations>>

/** Operations that are methods of the service itself. */
export const SERVICE_METHODS = { ...loginOperations } as const satisfies ConfigOperations

/** The operations that requests can call, as one routing table. */
export const ROUTED_OPERATIONS: ConfigOperations = Object.fromEntries(
  Object.entries({ ...FACADES, service: SERVICE_METHODS }).flatMap(([facade, operations]) =>
    Object.entries<AnyConfigOperation>(operations).flatMap(([name, operation]) =>
      operation.unrouted ? [] : [[`${facade}.${name}`, operation]],
    ),
  ),
)
