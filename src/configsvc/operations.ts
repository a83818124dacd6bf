/**
 * All operations of the service, by the facades they are methods of.
 */
import { decisionOperations } from './acl/decisions/operations.ts'
import { policyOperations } from './acl/policies/operations.ts'
import { roleOperations } from './acl/roles/operations.ts'
import { templatedPolicyOperations } from './acl/templated/operations.ts'
import { bootstrapOperations } from './acl/tokens/bootstrap.ts'
import { tokenOperations } from './acl/tokens/operations.ts'
import type { AnyConfigOperation, ConfigOperations } from './operation.ts'

export const FACADES = {
  acl: { ...bootstrapOperations, ...decisionOperations },
  policies: policyOperations,
  tokens: tokenOperations,
  roles: roleOperations,
  templatedPolicies: templatedPolicyOperations,
} as const satisfies Readonly<Record<string, ConfigOperations>>

/** Those that requests can ask for, as one table of routes. */
export const ROUTES: ConfigOperations = Object.fromEntries(
  Object.entries(FACADES).flatMap(([facade, operations]) =>
    Object.entries<AnyConfigOperation>(operations).flatMap(([name, operation]) =>
      operation.unrouted ? [] : [[`${facade}.${name}`, operation]],
    ),
  ),
)
